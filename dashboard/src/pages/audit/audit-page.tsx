import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import type { AuditEvent } from '../../../../src/api/audit.ts';
import { isStatus } from '../../api/api-error.ts';
import { type RowSource, useRowSource } from '../../api/row-source.ts';
import { useSession } from '../../api/session.ts';
import { Page, Panel } from '../../components/page.tsx';
import { useUrlParams } from '../../components/use-url-params.ts';
import { type AuditFilter, auditQuery, noFilter, withOnlyWorkspace } from './audit-filter.ts';
import { AuditFilterBar } from './audit-filter-bar.tsx';
import { AuditTable, isInDeletedWorkspace } from './audit-table.tsx';

/**
 * Every change in the organization, with filters in the URL. Pages are appended, so that the log
 * can be read through without losing the position.
 */
export function AuditPage() {
  const { value, change } = useUrlParams();
  const { account, workspace } = useSession();
  const { workspaces } = account;
  // The others see the workspaces in which they have a role, one at a time.
  const seesAll = account.organization?.role === 'org:admin';
  const filter: AuditFilter = {
    actor: value('actor'),
    kind: value('kind'),
    workspace: value('workspace') || (seesAll ? '' : (workspace?.slug ?? '')),
    preset: value('preset'),
    since: value('since'),
    until: value('until'),
  };
  const { source, noMatch } = useAuditRows(filter, workspaces);
  return (
    <Page
      guide="audit"
      title="Audit log"
      lead={`Append-only log of all changes in ${seesAll ? 'the organization' : 'a workspace'}, newest first.`}
    >
      <Panel isFlush>
        <AuditTable
          source={source}
          filters={
            <AuditFilterBar
              filter={filter}
              workspaces={workspaces}
              seesAll={seesAll}
              otherWorkspaceName={source.rows?.[0]?.workspace_name ?? undefined}
              onChange={(changed) => change(changed)}
            />
          }
          noMatch={noMatch !== undefined && <p>{noMatch}</p>}
          isFiltered={Object.values(filter).some((each) => each !== '')}
          onClear={() => change({ ...noFilter })}
          hasWorkspaces={workspaces.length > 1 || (source.rows?.some(isInDeletedWorkspace) ?? false)}
        />
      </Panel>
    </Page>
  );
}

interface AuditRows {
  readonly source: RowSource<AuditEvent>;
  /** Why no event can match the filters. */
  readonly noMatch: string | undefined;
}

/** Newest first. Cursor pagination, so that new events do not shift the pages. */
function useAuditRows(filter: AuditFilter, workspaces: readonly WorkspaceAccess[]): AuditRows {
  const { api } = useSession();
  const query = auditQuery(withOnlyWorkspace(filter, workspaces));
  const source = useRowSource<AuditEvent, string>({
    queryKey: ['audit', query],
    keyOf: ({ id }) => id,
    fetchPage: async (cursor, signal) => {
      const input = { query: { ...query, cursor, limit: 100 } };
      const { data: rows, next_cursor } = (await api.call('GET /audit', input, { signal })).content;
      return { rows, next: next_cursor ?? undefined };
    },
  });
  // A filter may name a workspace or preset that does not exist; that is not a failure.
  if (!isStatus(source.error, 404)) return { source, noMatch: undefined };
  return { source: { ...source, rows: [], hasMore: false, error: null }, noMatch: source.error.message };
}
