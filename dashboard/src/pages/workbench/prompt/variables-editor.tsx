import { ChevronDown, ChevronUp, Plus, Trash2 } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import { isVariableName } from '../../../../../src/dialects/presets/extension/parse-template.ts';
import type { VariableType } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { useCommands } from '../../../components/commands.ts';
import { SelectField, TextField } from '../../../components/fields.tsx';
import {
  declarationsOf,
  declareVariable,
  removeVariable,
  suggestName,
  undeclaredNames,
  variableTypes,
  withDefault,
} from '../../../features/request/variables.ts';
import { valueAsText } from '../../../features/version-content/describe-variable.ts';
import { useItemIds } from '../item-ids.ts';
import { JsonField } from '../json-field.tsx';
import { NameField } from '../name-field.tsx';
import { useRunSession } from '../run/run-session.ts';
import { useTyped } from '../settings/setting-control.tsx';
import { useIncompleteText } from '../use-incomplete-text.ts';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import { CopyInCases } from './copy-in-cases.tsx';
import { renameVariable } from './rename-variable.ts';

/** The declared variables, with their types and defaults. */
export function VariablesEditor() {
  const { canEdit, edit, dialect, keepsBraces } = useWorkbench();
  const declarations = declarationsOf(useDraft(({ body }) => body?.presetd));
  const names = declarations.map(([name]) => name);
  const ids = useItemIds(names);
  // As one text, so that this renders only when the names change, not with every key in the prompt.
  const undeclared = useDraft(({ body }) => body && undeclaredNames(body, dialect).join(' '));
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
      {canEdit && undeclared && !(keepsBraces && declarations.length === 0) && (
        <Undeclared names={undeclared.split(' ')} canKeep={declarations.length === 0} />
      )}
      {declarations.length > 0 && (
        <table className={styles.variableTable} aria-label="Variables">
          <thead>
            <tr>
              <th>Name</th>
              <th>Type</th>
              <th>Default</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {declarations.map(([name, schema], index) => (
              <VariableRow
                // Not the name, which is edited in place.
                key={ids[index]}
                name={name}
                schema={isJsonObject(schema) ? schema : {}}
                names={names}
                isNew={name === added}
                renamedFrom={renames.get(name)}
                onRename={(renamed) => noteRename(name, renamed)}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** More buttons would push the table away; one declares them all. */
const suggestedMax = 3;

interface UndeclaredProps {
  readonly names: readonly string[];
  /** Without variables, calls send the braces as they are, as a prompt about templates may need. */
  readonly canKeep: boolean;
}

/** Offers to declare names that the texts use. */
function Undeclared({ names, canKeep }: UndeclaredProps) {
  const { edit, keepBraces } = useWorkbench();
  const declare = (chosen: readonly string[]) =>
    edit((text) => chosen.reduce((next, name) => declareVariable(next, name, { type: 'string' }), text));
  useCommands([{ title: 'Declare all variables', group: 'Workbench', run: () => declare(names) }]);
  return (
    <p className={styles.undeclared}>
      <span className="note">Used, but not declared:</span>
      {names.length > 1 && (
        <Button isSmall onClick={() => declare(names)}>
          Declare all {names.length}
        </Button>
      )}
      {names.slice(0, suggestedMax).map((name) => (
        <Button key={name} isSmall onClick={() => declare([name])}>
          Declare {name}
        </Button>
      ))}
      {canKeep && (
        <Button isSmall variant="quiet" onClick={() => keepBraces(true)}>
          Keep as text
        </Button>
      )}
    </p>
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
  const path = ['presetd', 'variables', name];
  // Its JSON Schema belongs to the declaration as it is: the other fields would discard it.
  const isIncomplete = useIncompleteText(path).text !== undefined;
  const isReadOnly = !canEdit || isIncomplete;
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
  const [isOpen, setIsOpen] = useState(false);
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
  const isText = schema.type === 'array' || schema.type === 'object' || schema.type === 'string';
  return (
    <>
      <tr aria-label={name} title={typeof description === 'string' ? description : undefined}>
        <td>
          <NameField
            name={name}
            path={path}
            problemOf={(typed) => nameProblem(typed, names)}
            isReadOnly={isReadOnly}
            onRename={rename}
            focusOnMount={isNew}
            isLabelHidden
          />
        </td>
        <td>
          <SelectField<string>
            label="Type"
            isLabelHidden
            value={String(schema.type ?? '')}
            options={[
              ...(isType(schema.type) ? [] : [[String(schema.type ?? ''), 'Choose'] as const]),
              ...variableTypes.map((type) => [type, type] as const),
            ]}
            isDisabled={isReadOnly}
            onChange={changeType}
          />
        </td>
        <td>
          <TextField
            label="Default"
            isLabelHidden
            placeholder="Required"
            isMono={schema.type !== 'string'}
            {...(isText && { lines: 1, onKeyDown: ignoreEnter })}
            value={typedDefault}
            isReadOnly={isReadOnly}
            onChange={(text) => {
              setTypedDefault(text);
              declare(withDefault(schema, text));
            }}
          />
        </td>
        <td className={styles.variableActions}>
          <Button
            isSmall
            variant="quiet"
            aria-expanded={isOpen}
            aria-label={`Details of ${name}`}
            title="Description and JSON Schema"
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <ChevronUp aria-hidden="true" /> : <ChevronDown aria-hidden="true" />}
          </Button>
          {canEdit && (
            <IconButton
              icon={Trash2}
              title="Remove"
              of={name}
              onClick={() => editWithUndo(`Removed ${name}`, (text) => removeVariable(text, name))}
            />
          )}
        </td>
      </tr>
      {(isOpen || renamedFrom !== undefined) && (
        <tr className={styles.variableDetails}>
          <td colSpan={4}>
            {renamedFrom !== undefined && <CopyInCases from={renamedFrom} to={name} />}
            {isOpen && (
              <div className="stack-2">
                <TextField
                  label="Description"
                  value={typeof description === 'string' ? description : ''}
                  hint={isIncomplete ? 'Complete the JSON Schema first.' : undefined}
                  isReadOnly={isReadOnly}
                  onChange={(text) => declare(withDescription(schema, text))}
                />
                <JsonField label={`JSON Schema of ${name}`} path={path} isObject />
              </div>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

/** In a cell, Enter must not add a line that is easily overlooked. Shift+Enter does. */
function ignoreEnter(event: KeyboardEvent): void {
  const { key, nativeEvent, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (key !== 'Enter' || nativeEvent.isComposing || altKey || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
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
