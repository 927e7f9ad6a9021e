import { useMemo } from 'react';
import { prettyJson } from '../../../api/exact-json.ts';
import { Badge } from '../../../components/badge.tsx';
import { classNames } from '../../../components/class-names.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { formatCount, formatNumber, tailOf } from '../../../components/text.ts';
import { MarkedText } from '../compare/line-diff.tsx';
import { describeMarks, markAgainst, percentAgainst } from './compare-runs.ts';
import styles from './playground.module.css';
import type { EffectiveRequest, Run } from './run.ts';

type ShownRun = Omit<Run, 'request' | 'isSent' | 'effective'>;

interface ResponseViewProps {
  readonly run: ShownRun;
  readonly isRunning: boolean;
  /** Tells it apart from others on the page. */
  readonly of?: string | undefined;
  /** Another response of the same input: differences from it are marked. */
  readonly baseline?: Baseline | undefined;
}

export interface Baseline {
  /** Such as "Draft". */
  readonly name: string;
  readonly run: ShownRun;
}

/**
 * The model's response as it streams in. Screen readers announce when it is complete, not every
 * token.
 */
export function ResponseView({ run, isRunning, of, baseline }: ResponseViewProps) {
  const { response, phase } = run;
  const hasText = response.text !== '';
  return (
    <section
      className="stack-3"
      aria-label={of === undefined ? 'Response' : `Response of ${of}`}
      aria-busy={isRunning}
    >
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
      {hasText &&
        (baseline === undefined || isRunning ? (
          <ResponseText text={response.text} what="full response" isRunning={isRunning} />
        ) : (
          <ComparedText text={response.text} base={baseline.run.response.text} name={baseline.name} />
        ))}
      {response.toolCalls.map(({ index, name, argumentText }) => (
        <figure key={index} className="stack-1">
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
      {!isRunning && <ResponseMetadata run={run} baseline={baseline?.run} />}
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
  /** Completes the name of the copy button: "Copy …". */
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

interface ComparedTextProps {
  readonly text: string;
  readonly base: string;
  readonly name: string;
}

/** Marks what the other response does not have. A very long text is shown without marks. */
function ComparedText({ text, base, name }: ComparedTextProps) {
  const segments = useMemo(
    () => (text.length + base.length > comparedMax ? undefined : markAgainst(base, text)),
    [text, base],
  );
  if (segments === undefined) return <ResponseText text={text} what="full response" isRunning={false} />;
  return (
    <>
      <div className={styles.text}>
        <MarkedText segments={segments} change="added" />
      </div>
      <p className="note">{describeMarks(segments, name)}</p>
    </>
  );
}

/** Comparing longer texts would block the page. */
const comparedMax = 100_000;

/** Which version and upstream responded, what it cost and how long it took. */
function ResponseMetadata({
  run,
  baseline,
}: {
  readonly run: ShownRun;
  readonly baseline: ShownRun | undefined;
}) {
  const entries = metadataOf(run, baseline);
  if (entries.length === 0) return null;
  return (
    <dl className={styles.metadata}>
      {entries.map(([name, value, difference]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {difference !== undefined && <Difference text={difference} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure compared with another: more is marked as a warning, less as an improvement. */
export function Difference({ text }: { readonly text: string }) {
  const sign = text.startsWith('+') ? styles.more : text.startsWith('−') ? styles.less : undefined;
  return (
    <>
      {' '}
      <span className={classNames(styles.difference, sign)}>{text}</span>
    </>
  );
}

/** Leaves out what the upstream did not report, such as token counts after an error. */
function metadataOf(
  { response: { model, finishReason, usage, cost }, preset, upstream, firstTokenMs, totalMs }: ShownRun,
  base: ShownRun | undefined,
): readonly (readonly [name: string, value: string, difference?: string | undefined])[] {
  const baseUsage = base?.response.usage;
  const entries = [
    ['Preset', preset],
    ['Model', model],
    ['Upstream', upstream],
    ['Finish reason', finishReason],
    ['Input tokens', ifKnown(usage?.inputTokens, formatNumber)],
    [
      'Output tokens',
      ifKnown(usage?.outputTokens, formatNumber),
      percentAgainst(baseUsage?.outputTokens, usage?.outputTokens),
    ],
    ['Cost', ifKnown(cost, formatCost), percentAgainst(base?.response.cost, cost)],
    [
      'Time to first token',
      ifKnown(firstTokenMs, formatDuration),
      percentAgainst(base?.firstTokenMs, firstTokenMs),
    ],
    ['Total time', ifKnown(totalMs, formatDuration), percentAgainst(base?.totalMs, totalMs)],
  ] as const;
  return entries.flatMap(([name, value, difference]) =>
    value === undefined ? [] : [[name, value, difference] as const],
  );
}

function ifKnown(value: number | undefined, format: (value: number) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}

/** Three significant digits: most calls cost fractions of a cent. */
export function formatCost(dollars: number): string {
  return `$${Number(dollars.toPrecision(3))}`;
}

export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The request after presetd has applied the preset, as the upstream would receive it. */
export function EffectiveRequestView({ request }: { readonly request: EffectiveRequest }) {
  const { preset, upstream, method, url, headers, fallbacks, body } = request;
  return (
    <section className="stack-2" aria-label="Effective request">
      <h3>Effective request</h3>
      <p className="muted">
        The request to the upstream {upstream}
        {preset !== null && <>, with {preset} applied</>}.
      </p>
      <p className={styles.address}>
        <Badge>{method}</Badge> <code>{url}</code>
      </p>
      <FieldNames label="Overridden by the request:" fields={request.overridden_fields} />
      <FieldNames
        label="Changed by the policy of the preset:"
        fields={request.policy_fields.map(({ name }) => name)}
      />
      <FieldNames label="Variables with their default value:" fields={request.default_variables ?? []} />
      <FieldNames
        label="Dropped because the upstream or the format does not support them:"
        fields={request.dropped_fields}
      />
      {fallbacks.length > 0 && (
        <p>
          Fallbacks:{' '}
          {fallbacks
            .map(({ upstream: next, model }) => (model === null ? next : `${model} at ${next}`))
            .join(', ')}
        </p>
      )}
      <CodeBlock label="request body" code={JSON.stringify(body, undefined, 2)} isWrapped isBounded />
      <details className={styles.headers}>
        <summary>Headers</summary>
        <CodeBlock label="request headers" code={headerText(headers)} isWrapped />
      </details>
    </section>
  );
}

/** Renders nothing for an empty list. */
function FieldNames({ label, fields }: { readonly label: string; readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {fields.map((field, index) => (
        <span key={field}>
          {index > 0 && ', '}
          <code>{field}</code>
        </span>
      ))}
    </p>
  );
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
