import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isJsonObject, type JsonObject } from '../../../../../src/core/json/json-object.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { textExtensions } from '../../../components/editor/prompt-extensions.ts';
import { TextEditor } from '../../../components/editor/text-editor.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { insertItem, moveItem, removeField, setField } from '../../../features/request/request-text.ts';
import { useItemIds } from '../item-ids.ts';
import { JsonField } from '../json-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';
import { useTemplates } from './use-templates.ts';

const path = ['presetd', 'messages'];

/** Turns that every call sends after the system prompt, as examples for the model. */
export function MessagesEditor() {
  const { canEdit, edit } = useWorkbench();
  const messages = messagesOf(useDraft(({ body }) => body?.presetd));
  const nextRole = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  const ids = useItemIds(messages.map((message) => JSON.stringify(message)));
  const [added, setAdded] = useState<number>();
  return (
    <section className="stack-2" aria-label="Few-shot messages">
      <div className={styles.header}>
        <h3>Few-shot messages</h3>
        {canEdit && (
          <Button
            isSmall
            onClick={() => {
              setAdded(messages.length);
              edit((text) => insertItem(text, path, messages.length, { role: nextRole, content: '' }));
            }}
          >
            <Plus aria-hidden="true" />
            Add turn
          </Button>
        )}
      </div>
      {messages.length === 0 && (
        <p className="note">None. Example turns show the model what a good response looks like.</p>
      )}
      <ol className={styles.items}>
        {messages.map((message, index) => (
          <li key={ids[index]} className={styles.item}>
            <Turn message={message} index={index} count={messages.length} isNew={index === added} />
          </li>
        ))}
      </ol>
    </section>
  );
}

interface TurnProps {
  readonly message: JsonObject;
  readonly index: number;
  readonly count: number;
  /** Just added: it takes the focus. */
  readonly isNew: boolean;
}

function Turn({ message, index, count, isNew }: TurnProps) {
  const { canEdit, edit } = useWorkbench();
  const editWithUndo = useUndoableEdit();
  const { role, content } = message;
  const templates = useTemplates();
  const name = `turn ${index + 1}`;
  const buttons = useRef<HTMLDivElement>(null);
  const change = (field: string, value: unknown) =>
    edit((text) => setField(text, [...path, index, field], value));
  const move = (to: number) => {
    flushSync(() => edit((text) => moveItem(text, path, index, to)));
    // The button is gone if the turn cannot move any further, and the focus with it.
    if (document.activeElement === document.body) buttons.current?.querySelector('button')?.focus();
  };
  return (
    <>
      <div className={styles.header}>
        <SelectField
          label={`Role of ${name}`}
          isLabelHidden
          value={role === 'assistant' ? 'assistant' : 'user'}
          options={[
            ['user', 'User'],
            ['assistant', 'Assistant'],
          ]}
          isDisabled={!canEdit}
          onChange={(value) => change('role', value)}
        />
        {canEdit && (
          <div ref={buttons}>
            {index > 0 && (
              <IconButton icon={ArrowUp} title="Move up" of={name} onClick={() => move(index - 1)} />
            )}
            {index < count - 1 && (
              <IconButton icon={ArrowDown} title="Move down" of={name} onClick={() => move(index + 1)} />
            )}
            <IconButton
              icon={Trash2}
              title="Remove"
              of={name}
              onClick={() => editWithUndo(`Removed ${name}`, (text) => removeField(text, [...path, index]))}
            />
          </div>
        )}
      </div>
      {typeof content === 'string' ? (
        <div className={styles.turnEditor}>
          <TextEditor
            label={`Text of ${name}`}
            hint="Tab leaves the editor. Type two braces for a variable."
            text={content}
            extensions={textExtensions}
            changingExtensions={templates}
            focusOnMount={isNew}
            isReadOnly={!canEdit}
            onChange={(value) => change('content', value)}
          />
        </div>
      ) : (
        <JsonField label={`Content of ${name}`} isLabelHidden path={[...path, index, 'content']} />
      )}
    </>
  );
}

/** Positions have to match the request, so anything but an object counts as an empty turn. */
function messagesOf(presetd: unknown): readonly JsonObject[] {
  const messages = isJsonObject(presetd) ? presetd.messages : undefined;
  return Array.isArray(messages) ? messages.map((message) => (isJsonObject(message) ? message : {})) : [];
}
