import { type FormEvent, useState } from 'react';
import type { Dialect } from '../../../src/core/preset.ts';
import { dialectOptions } from '../api/dialects.ts';
import { Button } from '../parts/button.tsx';
import { Panel } from '../parts/panel.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { submitByKeys } from '../parts/submit-by-keys.ts';
import { TextField } from '../parts/text-field.tsx';
import { AnswerView } from './answer-view.tsx';
import { EffectiveRequestView } from './effective-request-view.tsx';
import { OutdatedNotice } from './outdated-notice.tsx';
import styles from './playground.module.css';
import { PlaygroundFailure } from './playground-failure.tsx';
import type { Run } from './run.ts';
import { usePlaygroundApi } from './use-playground-api.ts';
import { useRun } from './use-run.ts';

interface PlaygroundProps {
  readonly reference: string;
  /** The version that the reference stands for now. */
  readonly version: number | undefined;
}

/** One message through the gateway, as a program would send it, and what becomes of it. */
export function Playground({ reference, version }: PlaygroundProps) {
  const { api, key, setKey, isKeyNeeded } = usePlaygroundApi();
  const [message, setMessage] = useState('');
  const [dialect, setDialect] = useState<Dialect>('chat-completions');
  const [isChecked, setChecked] = useState(false);
  const { run, isUnderWay, send, show, stop } = useRun();

  function begin(go: typeof send) {
    const isReady = api !== undefined && message.trim() !== '';
    setChecked(!isReady);
    if (isReady) void go(api, { dialect, reference, version, message });
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isUnderWay) stop();
    else begin(send);
  }

  return (
    <Panel title="Try it">
      <div className={styles.playground}>
        <form
          className={styles.form}
          onSubmit={submit}
          onKeyDown={isUnderWay ? undefined : submitByKeys}
          noValidate
        >
          {isKeyNeeded && (
            <TextField
              label="API key for the playground"
              type="password"
              autoComplete="off"
              isMono
              value={key}
              onChange={setKey}
              error={isChecked && api === undefined ? 'Paste an API key of this workspace.' : undefined}
              hint="A management key runs no inference. This key stays on this page, and is forgotten when you leave it."
            />
          )}
          <TextField
            label="Message"
            lines={3}
            value={message}
            onChange={setMessage}
            error={isChecked && message.trim() === '' ? 'Write a message.' : undefined}
            placeholder="What a user would write"
          />
          <div className={styles.controls}>
            <SelectField label="Sent as" value={dialect} options={dialectOptions} onChange={setDialect} />
            {/* One button for both, so that whoever sent by keyboard can stop without looking for it. */}
            <Button type="submit" variant={isUnderWay ? 'plain' : 'primary'}>
              {isUnderWay ? 'Stop' : 'Send'}
            </Button>
            <Button onClick={() => begin(show)} disabled={isUnderWay}>
              Show request
            </Button>
            <span className={styles.hint}>
              <kbd>Ctrl</kbd> or <kbd>⌘</kbd> with <kbd>Enter</kbd> sends.
            </span>
          </div>
        </form>
        {run && (
          <div className={styles.outcome}>
            <OutdatedNotice run={run} version={version} dialect={dialect} />
            {run.error !== undefined && <PlaygroundFailure error={run.error} />}
            {hasAnswer(run) && <AnswerView run={run} isUnderWay={isUnderWay} />}
            {run.effective && <EffectiveRequestView request={run.effective} />}
          </div>
        )}
      </div>
    </Panel>
  );
}

/** Whether there is something to see of it: what failed before the first word is told as that alone. */
function hasAnswer({ isSent, error, answer }: Run): boolean {
  return isSent && (error === undefined || answer.text !== '' || answer.toolCalls.length > 0);
}
