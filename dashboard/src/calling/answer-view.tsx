import { CodeBlock } from '../parts/code-block.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { AnswerFacts } from './answer-facts.tsx';
import { AnswerText } from './answer-text.tsx';
import styles from './answer-view.module.css';
import { prettyJson } from './pretty-json.ts';
import type { Run } from './run.ts';

interface AnswerViewProps {
  readonly run: Run;
  readonly isUnderWay: boolean;
}

/** What the model says, as it says it. Whoever listens is told when it is complete, and not at every word. */
export function AnswerView({ run, isUnderWay }: AnswerViewProps) {
  const { answer, phase } = run;
  const hasText = answer.text !== '';
  return (
    <section className={styles.view} aria-label="Answer" aria-busy={isUnderWay}>
      <h3>Answer</h3>
      <p role="status" className={isUnderWay ? 'muted' : 'visually-hidden'}>
        {statusOf(phase)}
      </p>
      {answer.thoughts !== '' && (
        <details className={styles.thoughts}>
          <summary>What the model thought</summary>
          <AnswerText text={answer.thoughts} what="all thoughts" isUnderWay={isUnderWay} />
        </details>
      )}
      {hasText && <AnswerText text={answer.text} what="the whole answer" isUnderWay={isUnderWay} />}
      {answer.toolCalls.map(({ index, name, argumentText }) => (
        <figure key={index} className={styles.call}>
          <figcaption>
            Calls <code>{name}</code>
          </figcaption>
          <CodeBlock label={`the arguments of ${name}`} code={prettyJson(argumentText)} isWrapped />
        </figure>
      ))}
      {phase === 'done' && !hasText && answer.toolCalls.length === 0 && (
        <p className="muted">The model said nothing.</p>
      )}
      {phase === 'stopped' && <p className="muted">Stopped.</p>}
      {answer.error !== undefined && <ErrorNotice error={answer.error} title="The answer broke off." />}
      {!isUnderWay && <AnswerFacts run={run} />}
    </section>
  );
}

function statusOf(phase: Run['phase']): string {
  if (phase === 'waiting') return 'Waiting for the model…';
  if (phase === 'answering') return 'The model is answering…';
  return phase === 'done' ? 'The answer is complete.' : '';
}
