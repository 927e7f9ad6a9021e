import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Generation } from '../../../../src/api/generations.ts';
import { formatAmount, formatCost, formatDuration } from '../../../../src/core/ledger/metric-text.ts';
import { useDirectory } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/data-table/column.ts';
import { DataTable, type DataTableProps } from '../../components/data-table/data-table.tsx';
import type { GroupOptions } from '../../components/data-table/table-options.ts';
import { dayOf, exactTimes } from '../../components/time.tsx';
import { PersonName, personText } from '../../features/organization/person-name.tsx';
import { CalledPreset, CallerName, CallStatus, versionText } from './call-parts.tsx';
import styles from './calls.module.css';

interface CallTableProps
  extends Pick<DataTableProps<Generation>, 'source' | 'filters' | 'isFiltered' | 'onClear' | 'empty'> {
  readonly isOrganization: boolean;
  /** The call that is shown beside the table. */
  readonly openId: string | undefined;
  /** Stable between renders. */
  readonly hrefOf: (id: string) => string;
}

/** The log has no end, so it has one order. */
export function CallTable({ isOrganization, openId, hrefOf, ...table }: CallTableProps) {
  const { directory } = useDirectory();
  const { workspaces } = useSession().account;
  const columns = useMemo((): readonly Column<Generation>[] => {
    const workspaceOf = ({ workspace_id: id }: Generation) => workspaces.find((each) => each.id === id);
    return [
      {
        id: 'time',
        title: 'Time',
        isFixed: true,
        isSortable: false,
        value: ({ created_at }) => created_at,
        cell: ({ id, created_at }) => (
          <Link
            href={hrefOf(id)}
            data-row-link
            data-call={id}
            aria-current={id === openId || undefined}
            className={styles.time}
            title={exactTimes(created_at).join('\n')}
          >
            <time dateTime={created_at}>{timeFormat.format(new Date(created_at))}</time>
          </Link>
        ),
      },
      {
        id: 'status',
        title: 'Status',
        isObvious: true,
        isFit: true,
        isSortable: false,
        value: ({ presetd }) => presetd.status,
        cell: ({ presetd }) => <CallStatus presetd={presetd} />,
      },
      {
        id: 'preset',
        title: 'Preset',
        isObvious: true,
        wraps: true,
        isNarrow: true,
        isSortable: false,
        value: ({ presetd }) =>
          [presetd.preset ?? presetd.requested_preset, versionText(presetd)].filter(Boolean).join(' '),
        cell: (call) => (
          <span className={styles.preset}>
            <CalledPreset call={call} workspace={isOrganization ? workspaceOf(call)?.slug : undefined} />
            {call.presetd.purpose === 'workbench' && <Badge>Workbench</Badge>}
          </span>
        ),
      },
      ...(isOrganization
        ? [
            obvious(
              textColumn('workspace', 'Workspace', (call) => workspaceOf(call)?.name ?? call.workspace_id),
            ),
          ]
        : []),
      obvious(textColumn('model', 'Model', ({ model }) => model)),
      hidden(textColumn('upstream', 'Upstream', ({ presetd }) => presetd.upstream)),
      numberColumn('input', 'Input', ({ tokens_prompt }) => tokens_prompt, formatAmount),
      numberColumn('output', 'Output', ({ tokens_completion }) => tokens_completion, formatAmount),
      {
        ...numberColumn('cost', 'Cost', ({ presetd }) => presetd.cost, formatCost),
        cell: ({ presetd: { cost } }) => (
          <span className={cost === null ? 'muted' : undefined}>{formatCost(cost, callCostDecimals)}</span>
        ),
      },
      {
        ...numberColumn(
          'first_token',
          'First token',
          ({ presetd }) => presetd.first_token_ms,
          formatDuration,
        ),
        // The workspace takes its room.
        isHiddenByDefault: isOrganization,
      },
      numberColumn('total', 'Total', ({ presetd }) => presetd.total_ms, formatDuration),
      {
        id: 'key',
        title: 'Key',
        isObvious: true,
        isSortable: false,
        value: ({ presetd }) => presetd.key_name ?? presetd.key_label,
        cell: ({ presetd }) => <CallerName presetd={presetd} />,
      },
      hidden({
        id: 'person',
        title: 'Person',
        isObvious: true,
        isSortable: false,
        value: ({ presetd }) => personText(directory, presetd.user_email ?? presetd.user_id),
        exportValue: ({ presetd }) => presetd.user_email ?? presetd.user_id,
        cell: ({ presetd }) => <PersonName email={presetd.user_email ?? presetd.user_id} />,
      }),
      hidden(textColumn('purpose', 'Purpose', ({ presetd }) => presetd.purpose)),
      hidden(textColumn('dialect', 'Dialect', ({ presetd }) => presetd.dialect)),
      hidden(textColumn('error', 'Error', ({ presetd }) => presetd.error_message)),
      hidden(textColumn('finish', 'Finish reason', ({ native_finish_reason }) => native_finish_reason)),
      hidden(textColumn('app', 'App', ({ presetd }) => presetd.app_title)),
      hidden(textColumn('end_user', 'End user', ({ external_user }) => external_user)),
      hidden(textColumn('session', 'Session', ({ session_id }) => session_id)),
      hidden(textColumn('id', 'ID', ({ id }) => id)),
    ];
  }, [directory, workspaces, isOrganization, openId, hrefOf]);
  return (
    <DataTable
      {...table}
      id="calls"
      label="Calls"
      noun={['call', 'calls']}
      columns={columns}
      keyOf={({ id }) => id}
      groups={groups}
    />
  );
}

/** Millionths of a dollar, so that the points of all costs are below each other. */
const callCostDecimals = 6;

const timeFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** By day. No two calls are the same. */
const groups: GroupOptions<Generation> = {
  headingOf: ({ created_at }) => dayOf(created_at, new Date()),
  similarityOf: ({ id }) => id,
};

function textColumn(
  id: string,
  title: string,
  read: (call: Generation) => string | null,
): Column<Generation> {
  return {
    id,
    title,
    isSortable: false,
    value: read,
    cell: (call) => {
      const text = read(call);
      return text === null || text === '' ? (
        <span className="muted">–</span>
      ) : (
        <span title={text}>{text}</span>
      );
    },
  };
}

function numberColumn(
  id: string,
  title: string,
  read: (call: Generation) => number | null,
  format: (value: number | null) => string,
): Column<Generation> {
  return {
    id,
    title,
    isNumber: true,
    isSortable: false,
    value: read,
    cell: (call) => {
      const value = read(call);
      return <span className={value === null ? 'muted' : undefined}>{format(value)}</span>;
    },
  };
}

function obvious(column: Column<Generation>): Column<Generation> {
  return { ...column, isObvious: true };
}

function hidden(column: Column<Generation>): Column<Generation> {
  return { ...column, isHiddenByDefault: true };
}
