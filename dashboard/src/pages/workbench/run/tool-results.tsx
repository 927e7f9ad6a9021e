import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/fields.tsx';
import styles from '../workbench.module.css';
import { cannedResult, type Message, type PendingCall } from './conversation.ts';

interface ToolResultsProps {
  readonly calls: readonly PendingCall[];
  /** Results that tools had before are filled in. */
  readonly messages: readonly Message[];
  readonly onAnswer: (results: readonly Message[]) => void;
}

/** Answers the tool calls of a response by hand. */
export function ToolResults({ calls, messages, onAnswer }: ToolResultsProps) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const resultOf = ({ id, name }: PendingCall) => typed[id] ?? cannedResult(messages, name) ?? '';
  return (
    <form
      className={styles.item}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: resultOf(call) })));
      }}
    >
      {calls.map((call) => (
        <TextField
          key={call.id}
          label={`Result of ${call.name}`}
          isMono
          lines={3}
          value={resultOf(call)}
          placeholder="What the tool returns, such as JSON"
          onChange={(text) => setTyped({ ...typed, [call.id]: text })}
        />
      ))}
      <div>
        <Button isSmall type="submit">
          Send {calls.length === 1 ? 'result' : 'results'}
        </Button>
      </div>
    </form>
  );
}
