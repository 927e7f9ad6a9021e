import { parsePointer } from '../../../../../src/core/json/json-pointer.ts';
import { classNames } from '../../../components/class-names.ts';
import { NoticeIcon } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
import type { Report } from '../../../features/capture/use-capture.ts';
import { lineAndColumn, type TextProblem } from '../../../features/request/check-request.ts';
import styles from '../workbench.module.css';

interface ProblemListProps {
  readonly report: Report;
  readonly onGoTo: (offset: number) => void;
}

/** Problems, then warnings. Each is a button that moves the cursor to it. */
export function ProblemList({ report, onGoTo }: ProblemListProps) {
  const { text, problems, warnings } = report;
  if (problems.length + warnings.length === 0) return null;
  const title = [
    problems.length > 0 && formatCount(problems.length, 'problem', 'problems'),
    warnings.length > 0 && formatCount(warnings.length, 'warning', 'warnings'),
  ];
  return (
    <section
      aria-label={title.filter(Boolean).join(', ')}
      className={classNames('scrollbar', styles.problems)}
    >
      <ul>
        {problems.map((problem) => (
          <Item key={keyOf(problem)} {...problem} text={text} onGoTo={onGoTo} />
        ))}
        {warnings.map((warning) => (
          <Item key={keyOf(warning)} {...warning} text={text} isWarning onGoTo={onGoTo} />
        ))}
      </ul>
    </section>
  );
}

interface ListedProblem extends TextProblem {
  readonly path?: string;
}

interface ItemProps extends ListedProblem {
  readonly text: string;
  readonly isWarning?: boolean;
  readonly onGoTo: (offset: number) => void;
}

/** One problem with its position in the text. */
function Item({ text, from, path, message, isWarning = false, onGoTo }: ItemProps) {
  const { line, column } = lineAndColumn(text, from);
  return (
    <li>
      <button
        type="button"
        className={classNames(styles.listedProblem, isWarning && styles.listedWarning)}
        onClick={() => onGoTo(from)}
      >
        <NoticeIcon kind={isWarning ? 'warning' : 'danger'} />
        <span className={styles.position}>
          Line {line}, column {column}
        </span>
        <span>
          {path !== undefined && path !== '' && <code>{parsePointer(path).join('.')} </code>}
          {message}
        </span>
      </button>
    </li>
  );
}

function keyOf({ from, path, message }: ListedProblem): string {
  return `${from} ${path} ${message}`;
}
