import type { Session } from '../../../../src/api/account.ts';
import { useProviderNames } from '../../api/organization.ts';
import { unpagedSource } from '../../api/row-source.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable } from '../../components/data-table/data-table.tsx';
import { EmptyState } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { describeUserAgent } from './describe-user-agent.ts';
import styles from './organization.module.css';

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
  const providerName = useProviderNames();
  return (
    <DataTable
      id="sessions"
      label="Sessions"
      noun={['session', 'sessions']}
      columns={columnsOf(providerName, onEnd, isEnding)}
      source={unpagedSource(query)}
      keyOf={({ id }) => id}
      empty={<EmptyState title="Not signed in anywhere" />}
      sortParameter="sessions"
      isPlain
    />
  );
}

function columnsOf(
  providerName: (id: string) => string,
  onEnd: (session: Session) => void,
  isEnding: boolean,
): readonly Column<Session>[] {
  return [
    {
      id: 'browser',
      title: 'Browser',
      isFixed: true,
      value: ({ user_agent }) => describeUserAgent(user_agent),
      cell: ({ user_agent, is_current, label }) => (
        <span className={styles.stacked}>
          <span title={user_agent}>
            <span className="strong">{describeUserAgent(user_agent)}</span>{' '}
            {is_current && <Badge tone="accent">This browser</Badge>}
          </span>
          <span className="mono note">{label}</span>
        </span>
      ),
    },
    {
      id: 'address',
      title: 'Address',
      isObvious: true,
      value: ({ address }) => address,
      cell: ({ address }) => <span className="mono">{address}</span>,
    },
    {
      id: 'created',
      title: 'Signed in',
      isFit: true,
      isDescendingFirst: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at, method }) => (
        <>
          <Time at={created_at} />{' '}
          <span className="muted">with {methods[method] ?? providerName(method)}</span>
        </>
      ),
    },
    {
      id: 'used',
      title: 'Last used',
      isFit: true,
      isDescendingFirst: true,
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
    {
      id: 'ends',
      title: 'Ends',
      isFit: true,
      isDescendingFirst: true,
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <Time at={expires_at} />,
    },
    {
      id: 'end',
      title: 'Actions',
      isTitleHidden: true,
      isFit: true,
      cell: (session) =>
        session.is_current ? null : (
          <Button isSmall variant="quiet" isBusy={isEnding} onClick={() => onEnd(session)}>
            End<span className="visually-hidden"> {session.label}</span>
          </Button>
        ),
    },
  ];
}

const methods: Readonly<Record<string, string>> = { password: 'a password', link: 'a link' };
