import { expect, it } from 'vitest';
import type { AuditEvent } from '../api/audit.ts';
import { renderAudit } from './audit.ts';

const event: AuditEvent = {
  id: '01a1de79-85f9-77f4-94c3-abd25a5bc34c',
  kind: 'member.role_changed',
  created_at: '2026-08-01T09:30:00.000Z',
  actor_id: 'user_1',
  actor_email: 'ann@example.com',
  key_label: 'sk-pst-v1-ab1…9f2',
  workspace_id: null,
  workspace_slug: null,
  workspace_name: null,
  subject_id: 'user_2',
  subject: 'bo@example.com',
  before: { role: 'org:member' },
  after: { role: 'org:admin' },
};

it('the audit log ends with the cursor for the next page', () => {
  const deletion: AuditEvent = {
    ...event,
    kind: 'key.deleted',
    actor_email: null,
    key_label: null,
    before: null,
    after: null,
  };
  expect(renderAudit({ data: [event, { ...deletion, subject: 'x\u001b' }], next_cursor: 'abc' })).toBe(
    `
TIME               EVENT                WORKSPACE  SUBJECT         ACTOR            KEY                CHANGE
2026-08-01 09:30Z  member.role_changed             bo@example.com  ann@example.com  sk-pst-v1-ab1…9f2  role org:member → org:admin
2026-08-01 09:30Z  key.deleted                     x\\u001b         user_1
Use --cursor abc for more`.trimStart(),
  );
});

it.each([
  [{ workspace_id: 'w-1', workspace_slug: 'search', workspace_name: 'Search' }, 'search'],
  [{ workspace_id: 'w-1', workspace_slug: null, workspace_name: 'Search' }, 'Search (deleted)'],
])('the audit log shows the workspace of %j as %s', (workspace, shown) => {
  const [, row] = renderAudit({ data: [{ ...event, ...workspace }], next_cursor: null }).split('\n');
  expect(row?.split(/ {2,}/)[2]).toBe(shown);
});

it('the last page of the audit log has no cursor line', () => {
  expect(renderAudit({ data: [event], next_cursor: null }).split('\n')).toHaveLength(2);
});

it('an empty audit log is a sentence, not an empty table', () => {
  expect(renderAudit({ data: [], next_cursor: null })).toBe('No events found.');
});
