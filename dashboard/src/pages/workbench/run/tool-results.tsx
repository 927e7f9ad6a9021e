import { Button } from '../../../components/button.tsx';
import { submitOnCtrlEnter, TextField } from '../../../components/fields.tsx';
import { cannedResult, type Message, type PendingCall } from '../../../features/runs/message.ts';
import styles from '../workbench.module.css';

interface ToolResultsProps {
  readonly calls: readonly PendingCall[];
  /** Results that tools had before are filled in. */
  readonly messages: readonly Message[];
  /** The typed result of a call; undefined for none yet. */
  readonly typedOf: (call: PendingCall) => string | undefined;
  readonly onType: (call: PendingCall, text: string) => void;
  /** The conversation has changed, so that the results no longer follow it. */
  readonly isDisabled: boolean;
  readonly onAnswer: (results: readonly Message[]) => void;
}

/** Answers the tool calls of a response by hand. */
export function ToolResults(props: ToolResultsProps) {
  const { calls, messages, typedOf, onType, isDisabled, onAnswer } = props;
  const resultOf = (call: PendingCall) => typedOf(call) ?? cannedResult(messages, call.name) ?? '';
  return (
    <form
      className={styles.item}
      noValidate
      // Otherwise the key would run the conversation without the results.
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled)
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
          onChange={(text) => onType(call, text)}
        />
      ))}
      <div>
        <Button isSmall type="submit" disabled={isDisabled}>
          Send {calls.length === 1 ? 'result' : 'results'}
        </Button>
      </div>
    </form>
  );
}
