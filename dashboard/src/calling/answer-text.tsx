import { endOf } from '../parts/bounded-text.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { counted } from '../parts/counted.ts';
import styles from './answer-view.module.css';

interface AnswerTextProps {
  readonly text: string;
  /** What it is, after "Copy". */
  readonly what: string;
  readonly isUnderWay: boolean;
}

/** The end of it where it is very long: that is where it goes on. */
export function AnswerText({ text, what, isUnderWay }: AnswerTextProps) {
  const { shown, hidden } = endOf(text);
  return (
    <>
      {hidden > 0 && (
        <p className="muted">
          The beginning is not shown: {counted(hidden, 'character', 'characters')}{' '}
          {!isUnderWay && <CopyButton text={text} what={what} />}
        </p>
      )}
      <div className={styles.text}>{shown}</div>
    </>
  );
}
