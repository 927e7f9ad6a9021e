import { isJsonObject, type JsonObject } from '../../../../../src/core/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { changeField, type JSONPath } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';
import { JsonField } from '../json-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import { useDraft, useWorkbench } from '../workbench.ts';
import { schemaProblem } from './check-schema.ts';

/** Where each dialect has the format, and the schema within it. */
const paths: Readonly<Record<Dialect, { readonly format: JSONPath; readonly definition: JSONPath }>> = {
  'chat-completions': { format: ['response_format'], definition: ['response_format', 'json_schema'] },
  messages: { format: ['output_config', 'format'], definition: ['output_config', 'format'] },
  responses: { format: ['text', 'format'], definition: ['text', 'format'] },
};

const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

/** A format to start from. */
function newFormat(kind: string, dialect: Dialect): JsonObject | undefined {
  if (kind === 'text') return undefined;
  if (kind !== 'json_schema') return { type: kind };
  if (dialect === 'messages') return { type: kind, schema };
  const definition = { name: 'response', strict: true, schema };
  return dialect === 'responses' ? { type: kind, ...definition } : { type: kind, json_schema: definition };
}

/** Structured output: text, any JSON, or JSON of a schema. */
export function OutputFormat() {
  const { dialect, canEdit, edit } = useWorkbench();
  const editWithUndo = useUndoableEdit();
  const { format: formatPath, definition: definitionPath } = paths[dialect];
  const format = useDraft(({ body }) => valueAt(body, formatPath));
  const definition = useDraft(({ body }) => valueAt(body, definitionPath));
  const type = isJsonObject(format) && typeof format.type === 'string' ? format.type : 'text';
  const change = (path: JSONPath, value: unknown) => edit((text) => changeField(text, path, value));
  const kinds = [
    ['text', 'Text'],
    ...(dialect === 'messages' ? [] : [['json_object', 'Any JSON object'] as const]),
    ['json_schema', 'JSON matching a schema'],
  ] as const;
  const isKnown = kinds.some(([kind]) => kind === type);
  return (
    <div className="stack-3">
      <SelectField<string>
        label="Output format"
        value={type}
        options={isKnown ? kinds : [...kinds, [type, type]]}
        isDisabled={!canEdit}
        onChange={(kind) => {
          const replace = (text: string) => changeField(text, formatPath, newFormat(kind, dialect));
          // A schema may be much work.
          if (definition === undefined) edit(replace);
          else editWithUndo('Changed the output format', replace);
        }}
      />
      {type === 'json_schema' && isJsonObject(definition) && (
        <>
          {dialect !== 'messages' && (
            <TextField
              label="Name of the schema"
              isMono
              value={typeof definition.name === 'string' ? definition.name : ''}
              isReadOnly={!canEdit}
              onChange={(name) => change([...definitionPath, 'name'], name)}
            />
          )}
          <JsonField label="JSON Schema" path={[...definitionPath, 'schema']} problemOf={schemaProblem} />
        </>
      )}
      {!isKnown && <JsonField label="Format" path={formatPath} />}
    </div>
  );
}
