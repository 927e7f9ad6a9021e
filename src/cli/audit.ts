import type { Command } from 'commander';
import type { AuditEvent } from '../client/organization-answers.ts';
import { oneLine } from '../client/printable.ts';
import { type OutputOptions, printResponse } from './api-command.ts';
import { parsePageLimit } from './count-option.ts';
import { formatEventChange } from './format-event-change.ts';
import { parseIdentifier } from './identifier-option.ts';
import { connectToOrganization, organizationCommand } from './organization/command.ts';
import { shortTime } from './short-time.ts';
import { formatTable } from './table.ts';
import { parseTime } from './time-option.ts';

export function auditCommand(): Command {
  return organizationCommand('audit')
    .option('--actor <email or id>', 'only what this person did')
    .option('--kind <kind>', 'only this, such as key.created; or all of preset, key, workspace or member')
    .option(
      '--workspace <id or slug>',
      'only events of this workspace; a deleted one is found by its id',
      parseIdentifier,
    )
    .option('--preset <slug>', 'only events of this preset; needs --workspace', parseIdentifier)
    .option('--since <time>', 'only from then on, such as 2027-01-31 or 2027-01-31T09:30:00Z', parseTime)
    .option('--until <time>', 'only before then', parseTime)
    .option('--limit <count>', 'how many', parsePageLimit, 50)
    .option('--cursor <cursor>', 'where to go on, as the end of the page before says')
    .action(audit);
}

interface AuditOptions extends OutputOptions {
  readonly actor?: string;
  readonly kind?: string;
  readonly workspace?: string;
  readonly preset?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export interface AuditPage {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string | null;
}

async function audit(options: AuditOptions): Promise<void> {
  const { json: _, ...query } = options;
  const answer = await connectToOrganization().send<AuditPage>({ path: '/audit', query });
  printResponse(answer, options, renderAudit);
}

export function renderAudit({ data, next_cursor }: AuditPage): string {
  if (data.length === 0) return 'Nothing was found.';
  const rows = data.map((event) => [
    shortTime(event.created_at),
    event.kind,
    workspaceOf(event),
    event.subject,
    event.actor_email ?? event.actor_id,
    event.key_label ?? '',
    formatEventChange(event.before, event.after),
  ]);
  return [
    formatTable(['TIME', 'WHAT', 'WORKSPACE', 'SUBJECT', 'WHO', 'KEY', 'CHANGE'], rows),
    ...(next_cursor === null ? [] : [`--cursor ${oneLine(next_cursor)} shows more`]),
  ].join('\n');
}

/** A deleted workspace has no slug any more; servers before 0.7.0 send the id alone. */
function workspaceOf({ workspace_id, workspace_slug, workspace_name }: AuditEvent): string {
  if (workspace_slug != null) return workspace_slug;
  return workspace_name == null ? (workspace_id ?? '') : `${workspace_name} (deleted)`;
}
