import styles from './answer-facts.module.css';
import type { Run } from './run.ts';

/** What is known of an answer beside its words. */
export function AnswerFacts({ run }: { readonly run: Run }) {
  const facts = factsOf(run);
  if (facts.length === 0) return null;
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf({
  answer,
  preset,
  upstream,
  firstMs,
  totalMs,
}: Run): readonly (readonly [string, string])[] {
  const { usage } = answer;
  const facts = [
    ['Preset', preset],
    ['Model', answer.model],
    ['Upstream', upstream],
    ['Ended with', answer.finishReason],
    ['Tokens in', usage?.inputTokens?.toLocaleString('en-US')],
    ['Tokens out', usage?.outputTokens?.toLocaleString('en-US')],
    ['First piece after', firstMs === undefined ? undefined : seconds(firstMs)],
    ['Time', totalMs === undefined ? undefined : seconds(totalMs)],
  ] as const;
  return facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
