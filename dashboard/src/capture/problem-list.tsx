import { Panel } from '../parts/panel.tsx';
import type { TextProblem } from './check-request-text.ts';
import { lineAndColumn } from './line-and-column.ts';
import styles from './problem-list.module.css';

interface ProblemListProps {
  /** The text in which they were found. */
  readonly text: string;
  readonly problems: readonly (TextProblem & { readonly path?: string })[];
  readonly onGoTo: (offset: number) => void;
}

/** Each leads to its place in the text. */
export function ProblemList({ text, problems, onGoTo }: ProblemListProps) {
  return (
    <Panel title={problems.length === 1 ? '1 problem' : `${problems.length} problems`} isFlush>
      <ul className={styles.list}>
        {problems.map(({ from, path, message }) => {
          const { line, column } = lineAndColumn(text, from);
          return (
            <li key={`${from} ${path} ${message}`}>
              <button type="button" className={styles.problem} onClick={() => onGoTo(from)}>
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
        })}
      </ul>
    </Panel>
  );
}

/** "/messages/0/role" as a person would write it. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
