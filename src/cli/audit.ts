import type { Command } from 'commander';
import type { AuditEvent } from '../api/audit.ts';
import type { Input, ResponseOf } from '../api/client.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { oneLine } from '../core/text/printable.ts';
import {
  connectToOrganization,
  organizationCommand,
  printResponse,
  type ServerOptions,
  workspaceOrDefault,
} from './api-command.ts';
import { parseIdentifier, parsePageLimit, parseTime } from './options.ts';
import { formatTable, optionalColumn, textColumn } from './ui/table.ts';
import { formatEventChange, shortTime } from './ui/text.ts';

export function auditCommand(): Command {
  return organizationCommand('audit')
    .option('--actor <email or id>', 'Only changes by this member')
    .option('--kind <kind>', 'Only this kind (key.created) or group (preset, key, workspace, member)')
    .option(
      '--workspace <id or slug>',
      'Only events of this workspace; name a deleted one by ID',
      parseIdentifier,
    )
    .option(
      '--preset <slug>',
      'Only events of this preset, in --workspace or the workspace of your profile',
      parseIdentifier,
    )
    .option('--since <time>', 'Only from this time on, such as 2027-01-31 or 2027-01-31T09:30:00Z', parseTime)
    .option('--until <time>', 'Only before this time', parseTime)
    .option('--limit <count>', 'Maximum number of events', parsePageLimit, 50)
    .option('--cursor <cursor>', 'Continue a list, with the cursor printed at its end')
    .action(audit);
}

/** The options have the names of the query parameters. */
type AuditOptions = ServerOptions & NonNullable<Input<'GET /audit'>['query']>;

async function audit(options: AuditOptions): Promise<void> {
  const { json: _json, profile: _profile, ...filter } = options;
  // A slug means nothing without its workspace, unlike the other filters.
  const workspace =
    filter.preset === undefined ? filter.workspace : workspaceOrDefault(filter.workspace, options);
  const query = { ...filter, ...definedFields({ workspace }) };
  const response = await connectToOrganization(options).call('GET /audit', { query });
  printResponse(response, options, renderAudit);
}

export function renderAudit({ data, next_cursor }: ResponseOf<'GET /audit'>): string {
  if (data.length === 0) return 'No events found.';
  const rows = data.map((event) => [
    shortTime(event.created_at),
    event.kind,
    workspaceOf(event),
    event.subject,
    event.actor_email ?? event.actor_id,
    event.key_label ?? '',
    formatEventChange(event.before, event.after),
  ]);
  const header = [
    'TIME',
    'EVENT',
    optionalColumn('WORKSPACE', 1),
    textColumn('SUBJECT'),
    textColumn('ACTOR'),
    optionalColumn('KEY'),
    textColumn('CHANGE', 2),
  ];
  return [
    formatTable(header, rows),
    ...(next_cursor === null ? [] : [`Use --cursor ${oneLine(next_cursor)} for more`]),
  ].join('\n');
}

/** A deleted workspace has a name but no slug. Servers before 0.7.0 send only the ID. */
function workspaceOf({ workspace_id, workspace_slug, workspace_name }: AuditEvent): string {
  if (workspace_slug != null) return workspace_slug;
  return workspace_name == null ? (workspace_id ?? '') : `${workspace_name} (deleted)`;
}
