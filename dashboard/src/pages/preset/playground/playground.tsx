import { type FormEvent, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { createApi } from '../../../api/api.ts';
import { ApiError, isStatus } from '../../../api/api-error.ts';
import { dialectNames, dialectOptions } from '../../../api/dialects.ts';
import { canCallModels } from '../../../api/rights.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { SelectField, submitOnCtrlEnter, TextField } from '../../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/page.tsx';
import type { JsonObject } from '../config-values.ts';
import type { Variable } from '../describe-variable.ts';
import styles from './playground.module.css';
import { EffectiveRequestView, ResponseView } from './response-view.tsx';
import type { CallRequest, Run } from './run.ts';
import { useRun } from './use-run.ts';
import { areAboutVariables, problemsOf, readVariables, type VariableTexts } from './variable-values.ts';
import { VariablesForm } from './variables-form.tsx';

interface PlaygroundProps {
  readonly reference: string;
  /** The version that the reference currently means. */
  readonly version: number | undefined;
  /** The variables of that version. */
  readonly variables: readonly Variable[];
  /** Whether that version has few-shot messages. */
  readonly hasMessages: boolean;
}

/** Sends one message through the gateway, exactly as an app would, and shows what comes back. */
export function Playground({ reference, version, variables, hasMessages }: PlaygroundProps) {
  const { api, workspaceId, key, setKey, isKeyNeeded } = usePlaygroundApi();
  const [message, setMessage] = useState('');
  const [dialect, setDialect] = useState<Dialect>('chat-completions');
  const [texts, setTexts] = useState<VariableTexts>(new Map());
  const [showsErrors, setShowsErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const { run, isRunning, send, preview, stop } = useRun<PlaygroundRequest>();
  const { values, problems } = readVariables(variables, texts);
  // Issues of an earlier text or version say nothing about this one.
  const issues = run?.error instanceof ApiError && run.request.version === version ? run.error.issues : [];
  const rejected = [...problemsOf(issues)].filter(
    ([name]) => JSON.stringify(run?.request.variables?.[name]) === JSON.stringify(values[name]),
  );

  // The system prompt is no message in Anthropic Messages, which requires one.
  const isMessageOptional = hasMessages || (variables.length > 0 && dialect !== 'messages');
  const isMessageMissing = message.trim() === '' && !isMessageOptional;

  function start(action: typeof send) {
    const isComplete = api !== undefined && !isMessageMissing && problems.size === 0;
    // Synchronously, so that the invalid field is already marked and can be focused.
    flushSync(() => setShowsErrors(!isComplete));
    if (!isComplete) return form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    const passed = variables.length === 0 ? undefined : values;
    const call = { reference, message, variables: passed };
    void action(api, {
      dialect,
      body: bodyOf(dialect, call),
      chatBody: bodyOf('chat-completions', call),
      workspaceId,
      version,
      variables: passed,
    });
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (isRunning) stop();
    else start(send);
  }

  return (
    <Panel title="Playground">
      <div className="stack">
        <form
          ref={form}
          className="stack-3"
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
          {variables.length > 0 && (
            <VariablesForm
              variables={variables}
              texts={texts}
              onChange={setTexts}
              problems={new Map([...rejected, ...(showsErrors ? problems : [])])}
            />
          )}
          <TextField
            label="Message"
            lines={3}
            value={message}
            onChange={setMessage}
            error={showsErrors && isMessageMissing ? 'Enter a message.' : undefined}
            hint={isMessageOptional ? 'Optional. Without it, the call sends the preset alone.' : undefined}
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
          <div className="stack">
            <OutdatedNotice run={run} version={version} dialect={dialect} />
            {run.error !== undefined && <PlaygroundFailure error={run.error} variables={variables} />}
            {hasResponse(run) && <ResponseView run={run} isRunning={isRunning} />}
            {run.effective && <EffectiveRequestView request={run.effective} />}
          </div>
        )}
      </div>
    </Panel>
  );
}

/** A call with the selection on the page when it was sent. */
interface PlaygroundRequest extends CallRequest {
  /** The version that the reference meant on the page; undefined if none exists. */
  readonly version: number | undefined;
  /** The values to pass; undefined if the version has no variables. */
  readonly variables: JsonObject | undefined;
}

interface CallParts {
  readonly reference: string;
  /** Empty to send the preset alone. */
  readonly message: string;
  readonly variables: JsonObject | undefined;
}

function bodyOf(dialect: Dialect, { reference, message, variables }: CallParts): JsonObject {
  const model = reference;
  const prompt = variables && { prompt: { variables } };
  const isEmpty = message.trim() === '';
  if (dialect === 'responses') return { model, ...prompt, ...(!isEmpty && { input: message }), stream: true };
  const conversation = !isEmpty && { messages: [{ role: 'user', content: message }] };
  // Without this, OpenAI and compatible servers omit token usage from streams.
  const options = dialect === 'chat-completions' && { stream_options: { include_usage: true } };
  return { model, ...prompt, ...conversation, stream: true, ...options };
}

/** False for a call that failed before its first token: then only the error is shown. */
function hasResponse({ isSent, error, response }: Run): boolean {
  return isSent && (error === undefined || response.text !== '' || response.toolCalls.length > 0);
}

/**
 * The client for the playground. Management keys cannot call models, so people who signed in with
 * one paste an API key, which is kept only in component state.
 */
function usePlaygroundApi() {
  const session = useSession();
  const isKeyNeeded = !canCallModels(session.account.credential);
  const [key, setKey] = useState('');
  const pastedKeyApi = useMemo(
    () => (/^[\x21-\x7e]+$/.test(key.trim()) ? createApi(key.trim()) : undefined),
    [key],
  );
  return {
    api: isKeyNeeded ? pastedKeyApi : session.api,
    /** A session has no workspace of its own; a key has. */
    workspaceId: isKeyNeeded ? undefined : session.workspaceId,
    isKeyNeeded,
    key,
    setKey,
  };
}

interface OutdatedNoticeProps {
  readonly run: Run<PlaygroundRequest>;
  /** The current selection on the page. */
  readonly version: number | undefined;
  readonly dialect: Dialect;
}

/** Labels a response whose version or format is no longer the one selected on the page. */
function OutdatedNotice({ run, version, dialect }: OutdatedNoticeProps) {
  const from = appliedVersion(run);
  // Version and format are compared separately: either may be outdated.
  const origin: string[] = [];
  const selected: string[] = [];
  if (from !== undefined && from !== version) {
    origin.push(`From version ${from}`);
    if (version !== undefined) selected.push(`version ${version}`);
  }
  if (run.request.dialect !== dialect) {
    origin.push(`Sent as ${dialectNames[run.request.dialect]}`);
    selected.push(dialectNames[dialect]);
  }
  if (origin.length === 0) return null;
  return (
    <Notice kind="warning" title={origin.join(' · ')}>
      {selected.length > 0 && `Selected now: ${selected.join(', ')}. `}
      Send again to use the current selection.
    </Notice>
  );
}

/**
 * The version that the server applied: a label or the live version may have moved since the page
 * loaded.
 */
function appliedVersion({ preset, effective, request }: Run<PlaygroundRequest>): number | undefined {
  const applied = /@(\d+)$/.exec(preset ?? effective?.preset ?? '')?.[1];
  return applied === undefined ? request.version : Number(applied);
}

interface PlaygroundFailureProps {
  readonly error: unknown;
  readonly variables: readonly Variable[];
}

/**
 * Why the call failed. Problems with variables are shown at their fields. A missing provider key is
 * the normal state of a new installation, so it is shown as a setup step instead of an error.
 */
function PlaygroundFailure({ error, variables }: PlaygroundFailureProps) {
  if (error instanceof ApiError && areAboutVariables(error.issues, variables))
    return (
      <Notice kind="danger" title="Not sent">
        Check the values of {[...problemsOf(error.issues).keys()].join(', ')}.
      </Notice>
    );
  if (!isStatus(error, 424) || !/ has no (API )?key\b/.test(error.message))
    return <ErrorNotice error={error} title="The call failed" />;
  return (
    <Notice title="No model is available yet">
      <p>{error.message}</p>
      <p className="muted">The request below shows what presetd would send.</p>
    </Notice>
  );
}
