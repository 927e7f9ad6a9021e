import { useState } from 'react';
import { TextField } from '../../components/fields.tsx';
import { matchesSearch, type Operation, type OperationGroup, operationHash } from './api-document.ts';
import styles from './api-reference.module.css';
import { MethodName } from './method-name.tsx';

interface OperationListProps {
  readonly groups: readonly OperationGroup[];
  readonly selected: Operation | undefined;
}

/** The table of contents. Its links are the addresses of the operations, so they can be shared. */
export function OperationList({ groups, selected }: OperationListProps) {
  const [search, setSearch] = useState('');
  const found = groups
    .map(({ tag, operations }) => ({
      tag,
      operations: operations.filter((each) => matchesSearch(each, search)),
    }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <nav className={styles.list} aria-label="Operations">
      <TextField
        label="Find an operation"
        isLabelHidden
        type="search"
        placeholder="Find an operation"
        value={search}
        onChange={setSearch}
      />
      <div className={styles.groups}>
        {found.length === 0 && <p className="note">No operation matches.</p>}
        {found.map(({ tag, operations }) => {
          // While searching, every group with results is open; otherwise that of the page, if it
          // does not hide the page.
          const isOpen = search !== '' || (hasRoom() && tag === (selected?.tag ?? groups[0]?.tag));
          return (
            <details key={`${tag} ${isOpen}`} open={isOpen}>
              <summary>
                {tag} <span className="note">{operations.length}</span>
              </summary>
              <ul>
                {operations.map((operation) => (
                  <li key={operation.id}>
                    <a
                      href={operationHash(operation)}
                      className={styles.operation}
                      aria-current={operation.id === selected?.id ? 'page' : undefined}
                    >
                      <MethodName method={operation.method} />
                      {operation.summary}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          );
        })}
      </div>
    </nav>
  );
}

/** Whether the list is beside the page and not above it; the style sheet has the same limit. */
function hasRoom(): boolean {
  return matchMedia('(width >= 960px)').matches;
}
