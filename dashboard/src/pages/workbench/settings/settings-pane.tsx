import { Tabs } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { dialectOf } from '../../../../../src/dialects/dialects.ts';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/fields.tsx';
import { Notice } from '../../../components/notice.tsx';
import { useStore } from '../../../components/store.ts';
import { TabList } from '../../../components/tabs.tsx';
import { type JSONPath, removeField, setField } from '../../../features/request/request-text.ts';
import { valueAt } from '../draft-content.ts';
import { JsonField } from '../json-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { bodyOf, useDraft, useWorkbench } from '../workbench.ts';
import { DraftJson } from './draft-json.tsx';
import { IgnoredFields } from './ignored-fields.tsx';
import { OutputFormat } from './output-format.tsx';
import { SettingControl } from './setting-control.tsx';
import { otherFields, type SettingGroup, settingGroups } from './settings-fields.ts';
import { ToolsEditor } from './tools-editor.tsx';

/** Everything but the prompt, as forms or as the request itself. */
export function SettingsPane() {
  const isObject = useDraft(({ body }) => body !== undefined);
  const isRevealed = useStore(useWorkbench().revealed, (place) => place !== undefined);
  const [tab, setTab] = useState<'form' | 'request'>('form');
  useEffect(() => {
    if (isRevealed) setTab('request');
  }, [isRevealed]);
  return (
    <Tabs.Root value={tab} onValueChange={setTab} className={styles.inner}>
      <TabList
        label="Settings"
        tabs={[
          ['form', 'Form'],
          ['request', 'Request'],
        ]}
      />
      <Tabs.Panel value="form" keepMounted className={styles.innerPanel}>
        {isObject ? (
          <Forms />
        ) : (
          <Notice kind="warning" title="The request is not valid JSON">
            Fix it in the Request tab.
          </Notice>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="request" className={styles.innerPanel}>
        <DraftJson />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function Forms() {
  const { dialect } = useWorkbench();
  const groups = settingGroups(dialect);
  const hasOthers = useDraft((draft) => otherFields(bodyOf(draft), dialect).length > 0);
  const toolCount = useDraft(({ body }) => (Array.isArray(body?.tools) ? body.tools.length : 0));
  return (
    <div className="stack-2">
      {groups.slice(0, 3).map((group) => (
        <Group key={group.title} {...group} isOpen />
      ))}
      <Disclosure title="Tools" count={toolCount}>
        <ToolsEditor />
      </Disclosure>
      <Disclosure title="Structured output">
        <OutputFormat />
      </Disclosure>
      {groups.slice(3).map((group) => (
        <Group key={group.title} {...group} />
      ))}
      <Disclosure title="Other fields" isOpen={hasOthers}>
        <OtherFields />
      </Disclosure>
      <IgnoredFields />
    </div>
  );
}

/** How many settings of a group are offered before anything is set, the most common first. */
const offeredMax = 2;

/** A group of settings, which says how many of them are set. The others are shown on demand. */
function Group({ title, fields, isOpen }: SettingGroup & { readonly isOpen?: boolean }) {
  const setKeys = useDraft(({ body }) =>
    fields.flatMap(({ path }) => (valueAt(body, path) === undefined ? [] : [keyOf(path)])).join(' '),
  );
  const isSet = new Set(setKeys.split(' '));
  // A field that is cleared stays: the user may be typing in it.
  const [wasSet] = useState(() => new Set<string>());
  for (const key of isSet) wasSet.add(key);
  const [isWhole, setIsWhole] = useState(false);
  const shown = fields.filter(({ path }, index) => isWhole || index < offeredMax || wasSet.has(keyOf(path)));
  const others = fields.length - shown.length;
  return (
    <Disclosure title={title} count={setKeys === '' ? 0 : isSet.size} isOpen={isOpen ?? false}>
      <div className={styles.fields}>
        {shown.map((field) => (
          <SettingControl key={keyOf(field.path)} {...field} />
        ))}
      </div>
      {others > 0 && (
        <Button isSmall variant="quiet" onClick={() => setIsWhole(true)}>
          Show {others} more
          <span className="visually-hidden"> of {title}</span>
        </Button>
      )}
    </Disclosure>
  );
}

function keyOf(path: JSONPath): string {
  return path.join('.');
}

interface DisclosureProps {
  readonly title: string;
  readonly count?: number;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

function Disclosure({ title, count = 0, isOpen = false, children }: DisclosureProps) {
  const [startsOpen] = useState(isOpen || count > 0);
  return (
    <details className={styles.disclosure} open={startsOpen}>
      <summary>
        <h3>{title}</h3>
        {count > 0 && <span className="note">{count} set</span>}
      </summary>
      <div className={styles.disclosed}>{children}</div>
    </details>
  );
}

/** Values without a form, as JSON, and a way to add one. */
function OtherFields() {
  const { dialect, canEdit, edit, draft } = useWorkbench();
  // As text, which is equal for equal paths.
  const paths = useDraft((content) => JSON.stringify(otherFields(bodyOf(content), dialect)));
  const [name, setName] = useState('');
  const listId = useId();
  const body = bodyOf(draft.get());
  const suggestions = Object.entries(dialectOf[dialect].request.fields)
    .filter(([field, kind]) => kind === 'captured' && !Object.hasOwn(body, field))
    .map(([field]) => field);
  const path = name.trim().split('.');
  const isTaken = valueAt(body, path) !== undefined;
  return (
    <div className="stack-3">
      {(JSON.parse(paths) as readonly JSONPath[]).map((field) => (
        <OtherField key={keyOf(field)} path={field} />
      ))}
      {canEdit && (
        <form
          className={styles.row}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '' || isTaken) return;
            edit((text) => setField(text, path, null));
            setName('');
          }}
        >
          <div className={styles.grow}>
            <TextField
              label="Add a field"
              isMono
              list={listId}
              placeholder="Name, such as logit_bias"
              value={name}
              onChange={setName}
              error={isTaken ? 'The request already has this field.' : undefined}
            />
            <datalist id={listId}>
              {suggestions.map((field) => (
                <option key={field} value={field} />
              ))}
            </datalist>
          </div>
          <Button type="submit">Add</Button>
        </form>
      )}
    </div>
  );
}

function OtherField({ path }: { readonly path: JSONPath }) {
  const editWithUndo = useUndoableEdit();
  return (
    <JsonField
      label={keyOf(path)}
      path={path}
      onRemove={() => editWithUndo(`Removed ${keyOf(path)}`, (text) => removeField(text, path))}
    />
  );
}
