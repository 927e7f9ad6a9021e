import type { Session } from '../../../../src/api/account.ts';
import { useProviderNames } from '../../api/organization.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import styles from '../organization/organization.module.css';
import { describeUserAgent } from './describe-user-agent.ts';

interface SessionTableProps {
  readonly query: {
    readonly data: { readonly data: readonly Session[] } | undefined;
    readonly error: unknown;
    refetch(): unknown;
  };
  readonly onEnd: (session: Session) => void;
  readonly isEnding: boolean;
}

/** Where a person is signed in. */
export function SessionTable({ query, onEnd, isEnding }: SessionTableProps) {
  const { data, error, refetch } = query;
  if (error)
    return <ErrorNotice error={error} title="Could not load the sessions" retry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={2} label="Loading sessions" />;
  if (data.data.length === 0) return <EmptyState title="Not signed in anywhere" />;
  const columns: readonly Column<Session>[] = [
    {
      title: 'Browser',
      cell: ({ user_agent, is_current, label }) => (
        <span className={styles.stacked}>
          <span title={user_agent}>
            <span className="strong">{describeUserAgent(user_agent)}</span>{' '}
            {is_current && <Badge tone="success">This browser</Badge>}
          </span>
          <span className="mono muted">{label}</span>
        </span>
      ),
    },
    { title: 'Address', cell: ({ address }) => <span className="mono">{address}</span> },
    { title: 'Signed in', cell: ({ created_at, method }) => <SignedIn at={created_at} method={method} /> },
    { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { title: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (session) =>
        session.is_current ? null : (
          <span className={styles.actions}>
            <Button isSmall variant="quiet" isBusy={isEnding} onClick={() => onEnd(session)}>
              End<span className="visually-hidden"> {session.label}</span>
            </Button>
          </span>
        ),
    },
  ];
  return <Table label="Sessions" columns={columns} rows={data.data} keyOf={({ id }) => id} />;
}

const methods: Readonly<Record<string, string>> = { password: 'a password', link: 'a link' };

function SignedIn({ at, method }: { readonly at: string; readonly method: string }) {
  const providerName = useProviderNames();
  return (
    <span>
      <Time at={at} /> <span className="muted">with {methods[method] ?? providerName(method)}</span>
    </span>
  );
}
