import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { prettyJson } from '../../../api/exact-json.ts';
import { classNames } from '../../../components/class-names.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { highlightJson } from '../../../components/code-highlight.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { formatCount, formatDollars, formatNumber, tailOf } from '../../../components/text.ts';
import { MarkedText } from '../../../features/comparison/line-diff.tsx';
import { type Difference, describeMarks, differenceFrom, markAgainst } from './compare-runs.ts';
import styles from './run.module.css';
import { hasEnded, type Run } from './run.ts';

type ShownRun = Omit<Run, 'request'>;

interface ResponseViewProps {
  readonly run: ShownRun;
  readonly isRunning: boolean;
  /** Tells it apart from others on the page. */
  readonly of?: string | undefined;
  /** Another response of the same input: differences from it are marked. */
  readonly baseline?: Baseline | undefined;
  /** False where a table has the figures of all responses. */
  readonly hasFigures?: boolean;
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
export function ResponseView({ run, isRunning, of, baseline, hasFigures = true }: ResponseViewProps) {
  const { response, phase } = run;
  // Half a response is always shorter and cheaper.
  const compared = phase === 'done' ? baseline : undefined;
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
        (compared === undefined ? (
          <ResponseText text={response.text} what="full response" isRunning={isRunning} />
        ) : (
          <ComparedText text={response.text} base={compared.run.response.text} name={compared.name} />
        ))}
      {response.toolCalls.map(({ index, name, argumentText }) => (
        <figure key={index} className="stack-1">
          <figcaption>
            Tool call: <code>{name}</code>
          </figcaption>
          <CodeBlock
            label={`arguments of ${name}`}
            code={prettyJson(argumentText)}
            highlight={highlightJson}
            isWrapped
          />
        </figure>
      ))}
      {phase === 'done' && !hasText && response.toolCalls.length === 0 && (
        <p className="muted">The response is empty.</p>
      )}
      {phase === 'stopped' && <p className="muted">Stopped.</p>}
      {response.error !== undefined && (
        <ErrorNotice error={response.error} title="The response was interrupted" />
      )}
      {!isRunning && hasFigures && <ResponseMetadata run={run} baseline={compared?.run} />}
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

/** Highlights text that the other response does not have. A very long text has no marks. */
function ComparedText({ text, base, name }: ComparedTextProps) {
  const segments = useMemo(
    () => (text.length + base.length > comparedMax ? undefined : markAgainst(base, text)),
    [text, base],
  );
  if (text === base)
    return (
      <>
        <ResponseText text={text} what="full response" isRunning={false} />
        <p className="note">Same text as {name}</p>
      </>
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
            <DifferenceMark difference={difference} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FiguresTableProps {
  readonly runs: readonly Baseline[];
  /** The one that the others are compared with. */
  readonly baseline: ShownRun | undefined;
}

/** The figures of several responses: a row for each, and a column for each response. */
export function FiguresTable({ runs, baseline }: FiguresTableProps) {
  const columns = runs.map(({ run }) =>
    metadataOf(run, run === baseline || run.phase !== 'done' ? undefined : baseline),
  );
  const names = figureNames.filter((name) =>
    columns.some((entries) => entries.some(([own]) => own === name)),
  );
  if (names.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <section className={styles.figures} aria-label="Figures" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Figure</span>
            </th>
            {runs.map(({ name }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity: two may try the same version
              <th key={index} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((entries, index) => {
                const [, value, difference] = entries.find(([own]) => own === name) ?? [];
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  <td key={index}>
                    {value ?? <span className="muted">–</span>}
                    <DifferenceMark difference={difference} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A figure compared with another: more is marked as a warning. Less is not better as such. */
export function DifferenceMark({ difference }: { readonly difference: Difference | undefined }) {
  if (difference === undefined) return null;
  const { text, direction } = difference;
  return (
    <>
      {' '}
      <span className={classNames(styles.difference, direction && styles[direction])}>{text}</span>
    </>
  );
}

/** Leaves out what the upstream did not report, such as token counts after an error. */
function metadataOf(
  {
    phase,
    response: { model, finishReason, usage },
    preset,
    upstream,
    callId,
    isCostPending,
    firstTokenMs,
    totalMs,
  }: ShownRun,
  base: ShownRun | undefined,
): readonly Figure[] {
  const baseUsage = base?.response.usage;
  const entries = [
    ['Preset', preset],
    ['Model', model],
    ['Upstream', upstream],
    ['Finish reason', finishReason],
    ['Input tokens', ifKnown(usage?.input, formatNumber)],
    [
      'Output tokens',
      ifKnown(usage?.output, formatNumber),
      differenceFrom(baseUsage?.output, usage?.output, 'tokens'),
    ],
    [
      'Cost',
      ifKnown(usage?.cost, formatDollars) ?? (hasEnded({ phase }) ? costTexts.get(isCostPending) : undefined),
      differenceFrom(baseUsage?.cost, usage?.cost, 'dollars'),
    ],
    [
      'Time to first token',
      ifKnown(firstTokenMs, formatDuration),
      differenceFrom(base?.firstTokenMs, firstTokenMs, 'ms'),
    ],
    ['Total time', ifKnown(totalMs, formatDuration), differenceFrom(base?.totalMs, totalMs, 'ms')],
    ['Call', callId && <CallLink id={callId} />],
  ] as const;
  return entries.flatMap(([name, value, difference]) =>
    value === undefined ? [] : [[name, value, difference] as const],
  );
}

/** Shown while the cost is being read, so that nothing moves later, and if there is none. */
const costTexts: ReadonlyMap<boolean | undefined, string> = new Map([
  [true, '…'],
  [false, 'Unknown'],
]);

const figureNames = [
  'Preset',
  'Model',
  'Upstream',
  'Finish reason',
  'Input tokens',
  'Output tokens',
  'Cost',
  'Time to first token',
  'Total time',
  'Call',
] as const;

type Figure = readonly [
  name: (typeof figureNames)[number],
  value: ReactNode,
  difference?: Difference | undefined,
];

/** The record of a call is stored within a second. */
export function CallLink({ id }: { readonly id: string }) {
  return <Link href={`/calls/${id}`}>Open in Calls</Link>;
}

function ifKnown(value: number | undefined, format: (value: number) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}

export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
