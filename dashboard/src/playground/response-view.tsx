import { tailOf } from '../ui/bounded-text.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatCount } from '../ui/format-number.ts';
import { prettyJson } from './pretty-json.ts';
import { ResponseMetadata } from './response-metadata.tsx';
import styles from './response-view.module.css';
import type { Run } from './run.ts';

interface ResponseViewProps {
  readonly run: Run;
  readonly isRunning: boolean;
}

/**
 * The model's response as it streams in. Screen readers announce when it is complete, not every
 * token.
 */
export function ResponseView({ run, isRunning }: ResponseViewProps) {
  const { response, phase } = run;
  const hasText = response.text !== '';
  return (
    <section className={styles.view} aria-label="Response" aria-busy={isRunning}>
      <h3>Response</h3>
      <p role="status" className={isRunning ? 'muted' : 'visually-hidden'}>
        {statusOf(phase)}
      </p>
      {response.reasoning !== '' && (
        <details className={styles.reasoning}>
          <summary>Reasoning</summary>
          <ResponseText text={response.reasoning} what="full reasoning" isRunning={isRunning} />
        </details>
      )}
      {hasText && <ResponseText text={response.text} what="full response" isRunning={isRunning} />}
      {response.toolCalls.map(({ index, name, argumentText }) => (
        <figure key={index} className={styles.call}>
          <figcaption>
            Tool call: <code>{name}</code>
          </figcaption>
          <CodeBlock label={`arguments of ${name}`} code={prettyJson(argumentText)} isWrapped />
        </figure>
      ))}
      {phase === 'done' && !hasText && response.toolCalls.length === 0 && (
        <p className="muted">The response is empty.</p>
      )}
      {phase === 'stopped' && <p className="muted">Stopped.</p>}
      {response.error !== undefined && (
        <ErrorNotice error={response.error} title="The response was interrupted" />
      )}
      {!isRunning && <ResponseMetadata run={run} />}
    </section>
  );
}

function statusOf(phase: Run['phase']): string {
  if (phase === 'waiting') return 'Waiting for the model…';
  if (phase === 'streaming') return 'Streaming…';
  return phase === 'done' ? 'Response complete.' : '';
}

interface ResponseTextProps {
  readonly text: string;
  /** What the copy button copies: "Copy …". */
  readonly what: string;
  readonly isRunning: boolean;
}

/** Shows the end of a very long text, since that is where new text arrives. */
function ResponseText({ text, what, isRunning }: ResponseTextProps) {
  const { shown, hidden } = tailOf(text);
  return (
    <>
      {hidden > 0 && (
        <p className="muted">
          The first {formatCount(hidden, 'character', 'characters')} are hidden.{' '}
          {!isRunning && <CopyButton text={text} what={what} />}
        </p>
      )}
      <div className={styles.text}>{shown}</div>
    </>
  );
}
