import { isJsonObject } from '../../../../../src/core/json/json-object.ts';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { changeField, type JSONPath } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';
import { JsonField } from '../json-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import { useDraft, useWorkbench } from '../workbench.ts';
import { newFormat, outputFormats } from './output-formats.ts';
import { nameProblem, schemaProblem } from './schema-problem.ts';

/** Structured output: text, any JSON, or JSON of a schema. */
export function OutputFormat() {
  const { dialect, canEdit, edit } = useWorkbench();
  const editWithUndo = useUndoableEdit();
  const { path: formatPath, definition: definitionPath, isNamed, hasAnyJson } = outputFormats[dialect];
  const format = useDraft(({ body }) => valueAt(body, formatPath));
  const definition = useDraft(({ body }) => valueAt(body, definitionPath));
  const type = isJsonObject(format) && typeof format.type === 'string' ? format.type : 'text';
  const change = (path: JSONPath, value: unknown) => edit((text) => changeField(text, path, value));
  const kinds = [
    ['text', 'Text'],
    ...(hasAnyJson ? [['json_object', 'Any JSON object'] as const] : []),
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
          {isNamed && (
            <TextField
              label="Name of the schema"
              isMono
              value={typeof definition.name === 'string' ? definition.name : ''}
              isReadOnly={!canEdit}
              error={nameProblem(definition.name, dialect)}
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
