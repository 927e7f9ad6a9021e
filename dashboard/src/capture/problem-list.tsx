import { classNames } from '../parts/class-names.ts';
import { counted } from '../parts/counted.ts';
import { Panel } from '../parts/panel.tsx';
import type { TextProblem } from './check-request-text.ts';
import { lineAndColumn } from './line-and-column.ts';
import styles from './problem-list.module.css';
import { warningsMax } from './unknown-field-warnings.ts';
import type { Report } from './use-capture.ts';

interface ProblemListProps extends Report {
  readonly onGoTo: (offset: number) => void;
}

/** Each leads to its place in the text; what keeps the text from being saved comes first. */
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
    problems.length > 0 && counted(problems.length, 'problem', 'problems'),
    warnings.length > 0 && warnings.length < warningsMax && counted(warnings.length, 'warning', 'warnings'),
    warnings.length === warningsMax && `${warningsMax} warnings or more`,
  ]
    .filter(Boolean)
    .join(', ');
}

interface Place extends TextProblem {
  readonly path?: string;
}

interface ItemProps extends Place {
  readonly text: string;
  readonly isWarning?: boolean;
  readonly onGoTo: (offset: number) => void;
}

function Item({ text, from, path, message, isWarning = false, onGoTo }: ItemProps) {
  const { line, column } = lineAndColumn(text, from);
  return (
    <li>
      <button
        type="button"
        className={classNames(styles.item, isWarning && styles.warning)}
        onClick={() => onGoTo(from)}
      >
        <span className={styles.place}>
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

function keyOf({ from, path, message }: Place): string {
  return `${from} ${path} ${message}`;
}

/** "/messages/0/role" as a person would write it. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
