import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, useSyncExternalStore } from 'react';
import type { Account } from '../../../../src/api/account.ts';
import type { UsedKey } from '../../components/key-form.tsx';
import { Pending } from '../../components/pending.tsx';
import { type ApiDocument, findOperation, groupOperations } from './api-document.ts';
import styles from './api-reference.module.css';
import { Credentials } from './credentials.tsx';
import { OperationList } from './operation-list.tsx';
import { OperationView } from './operation-view.tsx';
import { Overview } from './overview.tsx';
import { createResolve } from './schema-text.ts';

interface ApiReferencePageProps {
  /** Who is signed in; undefined if nobody is. */
  readonly account?: Account;
  /** The key, if they signed in with one. */
  readonly secret?: string | undefined;
  /** The workspace that requests go to at first. */
  readonly workspaceId?: string | undefined;
}

/** Documents every operation of the API, and sends requests as the person who is signed in. */
export function ApiReferencePage({ account, secret, workspaceId }: ApiReferencePageProps) {
  const query = useQuery({
    queryKey: ['openapi'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<ApiDocument> => {
      const response = await fetch('/openapi.json', { signal });
      if (!response.ok) throw new Error(`The API document could not be loaded (status ${response.status}).`);
      return response.json();
    },
  });
  const { data } = query;
  const groups = useMemo(() => (data === undefined ? [] : groupOperations(data)), [data]);
  const hash = useHash();
  const [firstHash] = useState(hash);
  const operation = findOperation(groups, hash);
  const [usedKey, setUsedKey] = useState<UsedKey>();
  if (data === undefined) return <Pending query={query} lines={12} label="Loading the API reference" />;
  const resolve = createResolve(data);
  return (
    <div className={styles.page}>
      <title>{`${operation?.summary ?? 'API reference'} · presetd`}</title>
      <OperationList groups={groups} selected={operation} />
      <div className={styles.content}>
        <Credentials account={account} usedKey={usedKey} onChange={setUsedKey} />
        {operation === undefined ? (
          <Overview groups={groups} version={data.info.version} />
        ) : (
          <OperationView
            key={operation.id}
            operation={operation}
            resolve={resolve}
            apiKey={usedKey?.secret ?? secret}
            // A key may belong to another workspace.
            workspaceId={usedKey === undefined ? workspaceId : undefined}
            isChosen={hash !== firstHash}
          />
        )}
      </div>
    </div>
  );
}

function useHash(): string {
  return useSyncExternalStore(
    (onChange) => {
      addEventListener('hashchange', onChange);
      return () => removeEventListener('hashchange', onChange);
    },
    () => location.hash,
  );
}
