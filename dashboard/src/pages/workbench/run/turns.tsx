import { Paperclip, Play, Trash2 } from 'lucide-react';
import { prettyJson } from '../../../api/exact-json.ts';
import { IconButton } from '../../../components/button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { TextField } from '../../../components/fields.tsx';
import { useStore } from '../../../components/store.ts';
import { useToast } from '../../../components/toasts.tsx';
import {
  attachmentsOf,
  type Message,
  textOf,
  toolCallsOf,
  withText,
} from '../../../features/runs/message.ts';
import { useItemIds } from '../item-ids.ts';
import styles from '../workbench.module.css';
import type { RunSession } from './run-session.ts';

const roleNames: Readonly<Record<string, string>> = {
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool result',
};

export function roleOf({ role }: Message): string {
  return roleNames[String(role)] ?? String(role);
}

interface TurnsProps {
  readonly session: RunSession;
  /** Runs the conversation up to this turn, without the turns after it. */
  readonly onRunFrom: (index: number) => void;
}

/** The conversation so far. Every turn can be edited; the next run sends it as it is then. */
export function Turns({ session, onRunFrom }: TurnsProps) {
  const messages = useStore(session.state, (state) => state.messages);
  const ids = useItemIds(messages);
  const onChange = (changed: readonly Message[]) => session.change({ messages: changed });
  const showToast = useToast();
  const remove = (index: number, removed: Message) => {
    onChange(messages.toSpliced(index, 1));
    // Turns may have been edited or added since.
    showToast(`Removed turn ${index + 1}`, () =>
      onChange(session.state.get().messages.toSpliced(index, 0, removed)),
    );
  };
  return (
    <ol className={styles.items} aria-label="Conversation">
      {messages.map((message, index) => {
        const role = roleOf(message);
        const text = textOf(message);
        const name = `turn ${index + 1}`;
        return (
          <li key={ids[index]} className={styles.item}>
            <div className={styles.header}>
              <span className="strong">{role}</span>
              <span>
                {message.role === 'user' && index < messages.length - 1 && (
                  <IconButton icon={Play} title="Run from here" of={name} onClick={() => onRunFrom(index)} />
                )}
                <IconButton icon={Trash2} title="Remove" of={name} onClick={() => remove(index, message)} />
              </span>
            </div>
            {(text !== '' || message.tool_calls === undefined) && (
              <TextField
                label={`${role}, ${name}`}
                isLabelHidden
                lines={Math.min(12, Math.max(1, text.split('\n').length))}
                value={text}
                onChange={(next) => onChange(messages.with(index, withText(message, next)))}
              />
            )}
            {attachmentsOf(message).map((attachment, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attachments never move
              <span key={position} className="note">
                <Paperclip aria-hidden="true" size={12} /> {attachment}
              </span>
            ))}
            {toolCallsOf(message).map(({ id, name: tool, argumentText }) => (
              <CodeBlock
                key={id}
                label={`arguments of ${tool}`}
                code={`${tool}(${prettyJson(argumentText)})`}
                isWrapped
              />
            ))}
          </li>
        );
      })}
    </ol>
  );
}
