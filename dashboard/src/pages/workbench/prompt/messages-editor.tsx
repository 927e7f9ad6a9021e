import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { isJsonObject, type JsonObject } from '../../../../../src/core/json-object.ts';
import { Button, IconButton } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { insertItem, moveItem, removeField, setField } from '../../../features/request/request-text.ts';
import { JsonField } from '../json-field.tsx';
import { useUndoableEdit } from '../use-undoable-edit.ts';
import styles from '../workbench.module.css';
import { useDraft, useWorkbench } from '../workbench.ts';

const path = ['presetd', 'messages'];

/** Turns that every call sends after the system prompt, as examples for the model. */
export function MessagesEditor() {
  const { canEdit, edit } = useWorkbench();
  const messages = messagesOf(useDraft(({ body }) => body?.presetd));
  const nextRole = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
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
          // biome-ignore lint/suspicious/noArrayIndexKey: turns have no other identity
          <li key={index} className={styles.item}>
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
  const name = `turn ${index + 1}`;
  const change = (field: string, value: unknown) =>
    edit((text) => setField(text, [...path, index, field], value));
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
          <div>
            {index > 0 && (
              <IconButton
                icon={ArrowUp}
                title="Move up"
                of={name}
                onClick={() => edit((text) => moveItem(text, path, index, index - 1))}
              />
            )}
            {index < count - 1 && (
              <IconButton
                icon={ArrowDown}
                title="Move down"
                of={name}
                onClick={() => edit((text) => moveItem(text, path, index, index + 1))}
              />
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
        <TextField
          label={`Text of ${name}`}
          isLabelHidden
          lines={Math.min(10, Math.max(2, content.split('\n').length))}
          focusOnMount={isNew}
          value={content}
          isReadOnly={!canEdit}
          onChange={(value) => change('content', value)}
        />
      ) : (
        <JsonField label={`Content of ${name}`} isLabelHidden path={[...path, index, 'content']} />
      )}
    </>
  );
}

/** Positions have to match the request, so anything that is not an object counts as an empty turn. */
function messagesOf(presetd: unknown): readonly JsonObject[] {
  const messages = isJsonObject(presetd) ? presetd.messages : undefined;
  return Array.isArray(messages) ? messages.map((message) => (isJsonObject(message) ? message : {})) : [];
}
