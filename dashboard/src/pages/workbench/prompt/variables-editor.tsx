import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { isJsonObject, type JsonObject } from '../../../../../src/core/json-object.ts';
import { isVariableName } from '../../../../../src/dialects/presets/extension/parse-template.ts';
import type { VariableType } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { readPrompt } from '../../../features/request/prompt-field.ts';
import { valueAsText } from '../../../features/version-content/describe-variable.ts';
import { JsonField } from '../json-field.tsx';
import { NameField } from '../name-field.tsx';
import { useRunSession } from '../run/run-session.ts';
import { useTyped } from '../settings/setting-control.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import { CopyInCases } from './copy-in-cases.tsx';
import { renameVariable } from './rename-variable.ts';
import {
  declarationsOf,
  declareVariable,
  removeVariable,
  suggestName,
  undeclaredIn,
  variableTypes,
  withDefault,
} from './variables.ts';

/** The declared variables, with their types and defaults. */
export function VariablesEditor() {
  const { canEdit, edit, dialect } = useWorkbench();
  const declarations = declarationsOf(useDraft(({ body }) => body?.presetd));
  const names = declarations.map(([name]) => name);
  // As one text, so that this renders only when the names change, not with every key in the prompt.
  const undeclared = useDraft(({ body }) => body && undeclaredIn(readPrompt(body, dialect), names).join(' '));
  /** The first name of each renamed variable, by its current one. */
  const [renames, setRenames] = useState<ReadonlyMap<string, string>>(new Map());
  const noteRename = (from: string, to: string) =>
    setRenames(new Map([...renames].filter(([name]) => name !== from)).set(to, renames.get(from) ?? from));
  const [added, setAdded] = useState<string>();
  const add = () => {
    const name = suggestName('variable', names);
    edit((text) => declareVariable(text, name, { type: 'string' }));
    setAdded(name);
  };
  useCommands([canEdit && { title: 'Add variable', group: 'Workbench', run: add }]);
  return (
    <section className="stack-2" aria-label="Variables">
      <div className={styles.header}>
        <h3>Variables</h3>
        {canEdit && (
          <Button isSmall onClick={add}>
            <Plus aria-hidden="true" />
            Add variable
          </Button>
        )}
      </div>
      {declarations.length === 0 && (
        <p className="note">
          None.
          {canEdit &&
            ' Select words in the prompt and choose “Make variable”, or add one. Calls then pass its value.'}
        </p>
      )}
      {canEdit && undeclared && (
        <p className={styles.tools}>
          <span className="note">In the prompt, but not declared:</span>
          {undeclared.split(' ').map((name) => (
            <Button
              key={name}
              isSmall
              onClick={() => edit((text) => declareVariable(text, name, { type: 'string' }))}
            >
              Declare {name}
            </Button>
          ))}
        </p>
      )}
      <ul className={styles.items}>
        {declarations.map(([name, schema], index) => (
          // By position: the name is edited in place.
          // biome-ignore lint/suspicious/noArrayIndexKey: variables keep their order
          <li key={index} className={styles.item} aria-label={name}>
            <VariableRow
              name={name}
              schema={isJsonObject(schema) ? schema : {}}
              names={names}
              isNew={name === added}
              renamedFrom={renames.get(name)}
              onRename={(renamed) => noteRename(name, renamed)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface VariableRowProps {
  readonly name: string;
  readonly schema: JsonObject;
  readonly names: readonly string[];
  /** The user is about to name it. */
  readonly isNew: boolean;
  readonly renamedFrom: string | undefined;
  readonly onRename: (renamed: string) => void;
}

function VariableRow({ name, schema, names, isNew, renamedFrom, onRename }: VariableRowProps) {
  const { canEdit, edit } = useWorkbench();
  const editWithUndo = useUndoableEdit();
  const runSession = useRunSession();
  const rename = (renamed: string) => {
    edit((text) => renameVariable(text, name, renamed));
    onRename(renamed);
    const { texts } = runSession.state.get();
    const given = texts.get(name);
    // The old name stays for the columns of other versions.
    if (given !== undefined) runSession.change({ texts: new Map([[renamed, given], ...texts]) });
  };
  const [showsJson, setShowsJson] = useState(false);
  const declare = (next: JsonObject) => edit((text) => declareVariable(text, name, next));
  const { default: value, description, type: _, ...rules } = schema;
  /** The rules of one type, and a default of it, mean nothing to another. */
  const changeType = (type: string) => {
    const next = { type, ...(typeof description === 'string' && { description }) };
    const isLossless = value === undefined && Object.keys(rules).length === 0;
    if (isLossless) declare(next);
    else editWithUndo(`Changed the type of ${name}`, (text) => declareVariable(text, name, next));
  };
  const shownDefault = value === undefined ? '' : valueAsText(value);
  const [typedDefault, setTypedDefault] = useTyped(shownDefault, (text) => defaultText(schema, text));
  const isJson = schema.type === 'array' || schema.type === 'object';
  return (
    <>
      <div className={styles.row}>
        <NameField
          name={name}
          problemOf={(typed) => nameProblem(typed, names)}
          isReadOnly={!canEdit}
          onRename={rename}
          focusOnMount={isNew}
        />
        <SelectField<string>
          label="Type"
          value={String(schema.type ?? '')}
          options={[
            ...(isType(schema.type) ? [] : [[String(schema.type ?? ''), 'Choose a type'] as const]),
            ...variableTypes.map((type) => [type, type] as const),
          ]}
          isDisabled={!canEdit}
          onChange={changeType}
        />
        {canEdit && (
          <>
            <Button isSmall aria-expanded={showsJson} onClick={() => setShowsJson(!showsJson)}>
              {'{ }'}
              <span className="visually-hidden">Edit {name} as JSON Schema</span>
            </Button>
            <IconButton
              icon={Trash2}
              title="Remove"
              of={name}
              onClick={() => editWithUndo(`Removed ${name}`, (text) => removeVariable(text, name))}
            />
          </>
        )}
      </div>
      {renamedFrom !== undefined && <CopyInCases from={renamedFrom} to={name} />}
      {showsJson ? (
        <JsonField label={`JSON Schema of ${name}`} path={['presetd', 'variables', name]} isObject />
      ) : (
        <div className={styles.row}>
          <div className={styles.grow}>
            <TextField
              label="Default"
              placeholder="Required in every call"
              isMono={schema.type !== 'string'}
              {...((isJson || schema.type === 'string') && { lines: isJson ? 3 : 1 })}
              value={typedDefault}
              isReadOnly={!canEdit}
              onChange={(text) => {
                setTypedDefault(text);
                declare(withDefault(schema, text));
              }}
            />
          </div>
          <div className={styles.grow}>
            <TextField
              label="Description"
              value={typeof description === 'string' ? description : ''}
              isReadOnly={!canEdit}
              onChange={(text) => declare(withDescription(schema, text))}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** The default that a text stands for, as the field shows it. */
function defaultText(schema: JsonObject, text: string): string {
  const { default: value } = withDefault(schema, text);
  return value === undefined ? '' : valueAsText(value);
}

function isType(type: unknown): type is VariableType {
  return variableTypes.some((known) => known === type);
}

function withDescription({ description: _, ...schema }: JsonObject, text: string): JsonObject {
  return text === '' ? schema : { ...schema, description: text };
}

function nameProblem(typed: string, names: readonly string[]): string | undefined {
  if (typed === '') return 'Enter a name.';
  if (!isVariableName(typed)) return 'Use at most 64 of A–Z, a–z, 0–9 and _, and no digit first.';
  return names.includes(typed) ? `${typed} already exists.` : undefined;
}
