import type { ContentRetention, ContentStore, StoredContent } from '../core/content-log/content-storage.ts';
import { writeEvents } from './audit.ts';
import { assertAuthorized } from './change-organization.ts';
import type { Database } from './database.ts';
import { flag, select } from './select.ts';
import { statement } from './statement.ts';
import { contentLog, findWorkspace } from './workspaces.ts';
import { insertInto } from './write-rows.ts';

export function contentStore(database: Database): ContentStore {
  return {
    async write(contents) {
      await database.transaction((query) => addContents(query, contents));
    },
    read: ({ organizationId, workspaceId }, callId, actor, at, describe) =>
      database.transaction(async (query) => {
        await assertAuthorized(query, actor);
        const workspace = await findWorkspace(query, organizationId, workspaceId);
        const [found] = await query(findContent, [workspaceId, callId]);
        if (workspace === undefined || found === undefined) return undefined;
        await writeEvents(query, organizationId, actor, at, [describe(workspace)]);
        return found.content;
      }),
    retentions: (after, limit) => database.query(listRetentions, [after, limit]),
    deleteBefore: async (workspaceId, callId, limit) =>
      (await database.write(deleteContents, [workspaceId, callId, limit])).length,
  };
}

const addContents = insertInto<StoredContent>(
  'add-call-contents',
  'call_contents',
  { workspaceId: 'uuid', callId: 'uuid', contentJson: 'text' },
  'ON CONFLICT (workspace_id, call_id) DO NOTHING',
);

const findContent = statement<{ readonly content: string }>(
  'find-call-content',
  'SELECT content FROM call_contents WHERE workspace_id = $1 AND call_id = $2',
);

const listRetentions = select<ContentRetention>(
  'list-content-retentions',
  {
    workspaceId: 'id',
    settings: contentLog('content_log'),
    isDeleted: flag('deleted_at IS NOT NULL'),
  },
  'FROM workspaces WHERE content_log IS NOT NULL AND id > $1 ORDER BY id LIMIT $2',
);

const deleteContents = statement(
  'delete-call-contents',
  ({ isAmong }) =>
    `DELETE FROM call_contents WHERE workspace_id = $1 AND ${isAmong(
      'call_id',
      'SELECT call_id FROM call_contents WHERE workspace_id = $1 AND call_id < $2 ORDER BY call_id LIMIT $3',
    )} RETURNING call_id`,
);
