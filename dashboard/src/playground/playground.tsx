import { type FormEvent, useState } from 'react';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { dialectOptions } from '../api/dialects.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { submitOnCtrlEnter } from '../ui/submit-on-ctrl-enter.ts';
import { TextField } from '../ui/text-field.tsx';
import { EffectiveRequestView } from './effective-request-view.tsx';
import { OutdatedNotice } from './outdated-notice.tsx';
import styles from './playground.module.css';
import { PlaygroundFailure } from './playground-failure.tsx';
import { ResponseView } from './response-view.tsx';
import type { Run } from './run.ts';
import { usePlaygroundApi } from './use-playground-api.ts';
import { useRun } from './use-run.ts';

interface PlaygroundProps {
  readonly reference: string;
  /** The version that the reference currently means. */
  readonly version: number | undefined;
}

/** Sends one message through the gateway, exactly as an app would, and shows what comes back. */
export function Playground({ reference, version }: PlaygroundProps) {
  const { api, key, setKey, isKeyNeeded } = usePlaygroundApi();
  const [message, setMessage] = useState('');
  const [dialect, setDialect] = useState<Dialect>('chat-completions');
  const [showsErrors, setShowsErrors] = useState(false);
  const { run, isRunning, send, preview, stop } = useRun();

  function start(action: typeof send) {
    const isComplete = api !== undefined && message.trim() !== '';
    setShowsErrors(!isComplete);
    if (isComplete) void action(api, { dialect, reference, version, message });
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) stop();
    else start(send);
  }

  return (
    <Panel title="Playground">
      <div className={styles.playground}>
        <form
          className={styles.form}
          onSubmit={submit}
          onKeyDown={isRunning ? undefined : submitOnCtrlEnter}
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
              error={showsErrors && api === undefined ? 'Enter an API key of this workspace.' : undefined}
              hint="Management keys cannot call models. This key stays on this page and is forgotten when you leave."
            />
          )}
          <TextField
            label="Message"
            lines={3}
            value={message}
            onChange={setMessage}
            error={showsErrors && message.trim() === '' ? 'Enter a message.' : undefined}
            placeholder="Type a user message"
          />
          <div className={styles.controls}>
            <SelectField label="Format" value={dialect} options={dialectOptions} onChange={setDialect} />
            {/* One button for both: a keyboard user who has sent a message can stop it right
                away. */}
            <Button type="submit" variant={isRunning ? 'plain' : 'primary'}>
              {isRunning ? 'Stop' : 'Send'}
            </Button>
            <Button onClick={() => start(preview)} disabled={isRunning}>
              Preview request
            </Button>
            <span className={styles.hint}>
              <kbd>Ctrl</kbd> or <kbd>⌘</kbd> + <kbd>Enter</kbd> to send
            </span>
          </div>
        </form>
        {run && (
          <div className={styles.outcome}>
            <OutdatedNotice run={run} version={version} dialect={dialect} />
            {run.error !== undefined && <PlaygroundFailure error={run.error} />}
            {hasResponse(run) && <ResponseView run={run} isRunning={isRunning} />}
            {run.effective && <EffectiveRequestView request={run.effective} />}
          </div>
        )}
      </div>
    </Panel>
  );
}

/** False for a call that failed before its first token: then only the error is shown. */
function hasResponse({ isSent, error, response }: Run): boolean {
  return isSent && (error === undefined || response.text !== '' || response.toolCalls.length > 0);
}
