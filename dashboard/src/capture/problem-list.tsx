import { classNames } from '../ui/class-names.ts';
import { formatCount } from '../ui/format-number.ts';
import { Panel } from '../ui/panel.tsx';
import type { TextProblem } from './check-request-text.ts';
import { lineAndColumn } from './line-and-column.ts';
import styles from './problem-list.module.css';
import { warningsMax } from './unknown-field-warnings.ts';
import type { Report } from './use-capture.ts';

interface ProblemListProps extends Report {
  readonly onGoTo: (offset: number) => void;
}

/** Problems, then warnings. Each is a button that moves the cursor to it. */
export function ProblemList({ onGoTo, ...report }: ProblemListProps) {
  const { text, problems, warnings } = report;
  return (
    <Panel title={describeReport(report)} isFlush>
      <ul className={classNames('scrollbar', styles.list)}>
        {problems.map((problem) => (
          <Item key={keyOf(problem)} {...problem} text={text} onGoTo={onGoTo} />
        ))}
        {warnings.map((warning) => (
          <Item key={keyOf(warning)} {...warning} text={text} isWarning onGoTo={onGoTo} />
        ))}
      </ul>
    </Panel>
  );
}

/** "2 problems, 1 warning". */
export function describeReport({ problems, warnings }: Report): string {
  return [
    problems.length > 0 && formatCount(problems.length, 'problem', 'problems'),
    warnings.length > 0 &&
      warnings.length < warningsMax &&
      formatCount(warnings.length, 'warning', 'warnings'),
    warnings.length === warningsMax && `${warningsMax} warnings or more`,
  ]
    .filter(Boolean)
    .join(', ');
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
        className={classNames(styles.item, isWarning && styles.warning)}
        onClick={() => onGoTo(from)}
      >
        <span className={styles.position}>
          Line {line}, column {column}
        </span>
        <span className={styles.message}>
          {path !== undefined && path !== '' && <code>{nameOf(path)} </code>}
          {message}
        </span>
      </button>
    </li>
  );
}

function keyOf({ from, path, message }: ListedProblem): string {
  return `${from} ${path} ${message}`;
}

/** "messages.0.role" for "/messages/0/role". */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
