import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { CheckboxField, SelectField, TextField } from '../../../components/fields.tsx';
import {
  changeField,
  insertItem,
  type JSONPath,
  removeField,
  setField,
} from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';
import { useItemIds } from '../item-ids.ts';
import { JsonField } from '../json-field.tsx';
import { NameField } from '../name-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import { nameProblem, schemaProblem, toolTypeProblem } from './schema-problem.ts';
import {
  functionPaths,
  newFunction,
  type Property,
  parameterNameProblem,
  propertiesOf,
  propertyTypes,
  toolName,
  withProperties,
} from './tools.ts';

/** The tools, each as a form if it is a function and as JSON otherwise. */
export function ToolsEditor() {
  const { dialect, canEdit, edit } = useWorkbench();
  const listed = useDraft(({ body }) => body?.tools);
  const tools = Array.isArray(listed) ? listed : [];
  // Equal tools are the same object, unless they change.
  const ids = useItemIds(tools);
  const [added, setAdded] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const add = () => {
    const name = freeName(tools.map((tool) => toolName(tool, dialect)));
    flushSync(() => {
      edit((text) => insertItem(text, ['tools'], tools.length, newFunction(dialect, name)));
      setAdded(tools.length);
    });
    // Its name is only a placeholder, which typing replaces.
    const form = list.current?.children[tools.length];
    const field = form?.querySelector('input');
    field?.focus({ preventScroll: true });
    field?.select();
    form?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div className="stack-2">
      <ol ref={list} className={styles.items}>
        {tools.map((tool, index) => (
          <li key={ids[index]}>
            <Tool tool={tool} index={index} isNew={index === added} />
          </li>
        ))}
      </ol>
      {canEdit && (
        <div>
          <Button isSmall onClick={add}>
            <Plus aria-hidden="true" />
            Add function
          </Button>
        </div>
      )}
    </div>
  );
}

interface ToolProps extends ToolFormProps {
  /** Just added: it is open. */
  readonly isNew: boolean;
}

function Tool({ tool, index, isNew }: ToolProps) {
  const { dialect } = useWorkbench();
  const [startsOpen] = useState(isNew);
  return (
    <details className={styles.disclosure} open={startsOpen}>
      <summary>
        <span className="mono">{toolName(tool, dialect)}</span>
      </summary>
      <ToolForm tool={tool} index={index} />
    </details>
  );
}

function freeName(taken: readonly string[]): string {
  let count = 1;
  while (taken.includes(`function_${count}`)) count += 1;
  return `function_${count}`;
}

interface ToolFormProps {
  readonly tool: unknown;
  readonly index: number;
}

function ToolForm({ tool, index }: ToolFormProps) {
  const { dialect, canEdit, edit } = useWorkbench();
  const editWithUndo = useUndoableEdit();
  const paths = functionPaths(tool, dialect);
  const [isJson, setIsJson] = useState(paths === undefined);
  const name = toolName(tool, dialect);
  const at = (path: readonly (string | number)[]) => ['tools', index, ...path];
  const buttons = canEdit && (
    <div className={styles.row}>
      {paths !== undefined && (
        <Button isSmall onClick={() => setIsJson(!isJson)}>
          {isJson ? 'Edit as form' : 'Edit as JSON'}
        </Button>
      )}
      <IconButton
        icon={Trash2}
        title="Remove"
        of={name}
        onClick={() => editWithUndo(`Removed ${name}`, (text) => removeField(text, ['tools', index]))}
      />
    </div>
  );
  if (isJson || paths === undefined || !isJsonObject(tool))
    return (
      <div className={styles.item}>
        <JsonField
          label={`Tool ${name}`}
          path={['tools', index]}
          problemOf={(value) => {
            const places = functionPaths(value, dialect);
            if (places === undefined) return toolTypeProblem(value);
            const { name: namePath, parameters } = places;
            return (
              nameProblem(valueAt(value as JsonObject, namePath), dialect) ??
              schemaProblem(valueAt(value as JsonObject, parameters) ?? {})
            );
          }}
        />
        {buttons}
      </div>
    );
  const textOf = (path: readonly (string | number)[]) => {
    const value = valueAt(tool, [...path]);
    return typeof value === 'string' ? value : '';
  };
  return (
    <div className={styles.item}>
      <TextField
        label="Name"
        isMono
        value={textOf(paths.name)}
        isReadOnly={!canEdit}
        error={nameProblem(textOf(paths.name), dialect)}
        onChange={(value) => edit((text) => setField(text, at(paths.name), value))}
      />
      <TextField
        label="Description"
        lines={2}
        value={textOf(paths.description)}
        isReadOnly={!canEdit}
        hint="When and how the model should call it."
        onChange={(value) =>
          edit((text) => changeField(text, at(paths.description), value === '' ? undefined : value))
        }
      />
      <Parameters
        name={name}
        path={at(paths.parameters)}
        schema={valueAt(tool, paths.parameters)}
        onChange={(value) => edit((text) => setField(text, at(paths.parameters), value))}
        onRemove={(removed, value) =>
          editWithUndo(`Removed ${removed}`, (text) => setField(text, at(paths.parameters), value))
        }
      />
      {buttons}
    </div>
  );
}

interface ParametersProps {
  readonly name: string;
  readonly path: JSONPath;
  readonly schema: unknown;
  readonly onChange: (schema: unknown) => void;
  /** With the parameter that was removed, and the schema without it. */
  readonly onRemove: (removed: string, schema: unknown) => void;
}

/** One row per parameter, or JSON Schema if rows cannot show all of it. */
function Parameters({ name, path, schema, onChange, onRemove }: ParametersProps) {
  const { canEdit } = useWorkbench();
  const rows = propertiesOf(schema);
  const ids = useItemIds((rows ?? []).map((row) => JSON.stringify(row)));
  if (rows === undefined || !isJsonObject(schema))
    return (
      <JsonField label={`Parameters of ${name}, as JSON Schema`} path={path} problemOf={schemaProblem} />
    );
  const change = (next: readonly Property[]) => onChange(withProperties(schema, next));
  return (
    <fieldset className={styles.rows}>
      <legend className="strong">Parameters</legend>
      {rows.map((row, index) => {
        const replace = (changed: Partial<Property>) => change(rows.with(index, { ...row, ...changed }));
        return (
          <div key={ids[index]} className={styles.row}>
            <NameField
              name={row.name}
              path={[...path, 'properties', row.name]}
              problemOf={(typed) => parameterNameProblem(typed, rows)}
              isReadOnly={!canEdit}
              onRename={(renamed) => replace({ name: renamed })}
            />
            <SelectField<string>
              label="Type"
              value={row.type}
              options={propertyTypes.map((type) => [type, type])}
              isDisabled={!canEdit}
              onChange={(type) => replace({ type })}
            />
            <div className={styles.grow}>
              <TextField
                label="Description"
                value={row.description}
                isReadOnly={!canEdit}
                onChange={(description) => replace({ description })}
              />
            </div>
            <CheckboxField
              label="Required"
              isChecked={row.isRequired}
              isDisabled={!canEdit}
              onChange={(isRequired) => replace({ isRequired })}
            />
            {canEdit && (
              <IconButton
                icon={Trash2}
                title="Remove"
                of={row.name}
                onClick={() => onRemove(row.name, withProperties(schema, rows.toSpliced(index, 1)))}
              />
            )}
          </div>
        );
      })}
      {canEdit && (
        <div>
          <Button
            isSmall
            onClick={() =>
              change([
                ...rows,
                { name: freeParameter(rows), type: 'string', description: '', isRequired: true },
              ])
            }
          >
            <Plus aria-hidden="true" />
            Add parameter
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function freeParameter(rows: readonly Property[]): string {
  let count = rows.length + 1;
  while (rows.some(({ name }) => name === `parameter_${count}`)) count += 1;
  return `parameter_${count}`;
}
