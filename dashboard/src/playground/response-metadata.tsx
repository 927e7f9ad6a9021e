import { formatNumber } from '../ui/format-number.ts';
import styles from './response-metadata.module.css';
import type { Run } from './run.ts';

/** Which version and upstream responded, what it cost and how long it took. */
export function ResponseMetadata({ run }: { readonly run: Run }) {
  const entries = metadataOf(run);
  if (entries.length === 0) return null;
  return (
    <dl className={styles.metadata}>
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Leaves out what the upstream did not report, such as token counts after an error. */
function metadataOf({
  response: { model, finishReason, usage },
  preset,
  upstream,
  firstTokenMs,
  totalMs,
}: Run): readonly (readonly [string, string])[] {
  const entries = [
    ['Preset', preset],
    ['Model', model],
    ['Upstream', upstream],
    ['Finish reason', finishReason],
    ['Input tokens', ifKnown(usage?.inputTokens, formatNumber)],
    ['Output tokens', ifKnown(usage?.outputTokens, formatNumber)],
    ['Time to first token', ifKnown(firstTokenMs, formatDuration)],
    ['Total time', ifKnown(totalMs, formatDuration)],
  ] as const;
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function ifKnown(value: number | undefined, format: (value: number) => string): string | undefined {
  return value === undefined ? undefined : format(value);
}

function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
