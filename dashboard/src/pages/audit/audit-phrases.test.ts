import { expect, it } from 'vitest';
import { auditKinds } from '../../../../src/core/audit/audit-kinds.ts';
import type { EventFields } from '../../features/events/changed-versions.ts';
import { type PhrasePart, subject } from '../../features/events/event-parts.ts';
import { phraseOf } from './audit-phrases.ts';

const providerName = (id: string) => (id === 'okta' ? 'Okta' : id);
const key = { name: 'CI', kind: 'management', read_only: true };

it.each<[string, EventFields['before'], EventFields['after'], string]>([
  ['preset.version_added', { designated_version: 1 }, { version: 2 }, 'added version 2 to preset X'],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 2, designated_version: 1, note: 'Shorter' },
    'added version 2 to preset X with the note “Shorter”, without making it live',
  ],
  [
    'preset.version_added',
    { designated_version: 1 },
    { version: 2, designated_version: 1 },
    'added version 2 to preset X without making it live',
  ],
  [
    'preset.created',
    null,
    { version: 1, designated_version: 1, note: 'x'.repeat(200) },
    `created preset X with the note “${'x'.repeat(159)}…”`,
  ],
  [
    'preset.designated',
    { designated_version: 2 },
    { designated_version: 1 },
    'made version 1 of preset X live',
  ],
  [
    'preset.label_moved',
    { label: 'p', version: null },
    { label: 'p', version: 2 },
    'added label p to version 2 of preset X',
  ],
  [
    'preset.label_moved',
    { label: 'p', version: 1 },
    { label: 'p', version: 2 },
    'moved label p to version 2 of preset X',
  ],
  [
    'preset.label_removed',
    { label: 'p', version: 1 },
    { label: 'p', version: null },
    'removed label p from version 1 of preset X',
  ],
  ['preset.slug_changed', { slug: 'a' }, { slug: 'b' }, 'changed the slug of preset X from a to b'],
  ['preset.alias_added', null, { alias: 'a' }, 'added alias a to preset X'],
  ['preset.alias_removed', { alias: 'a' }, null, 'removed alias a from preset X'],
  ['preset.case_saved', null, { case: 'Late parcel' }, 'saved case “Late parcel” of preset X'],
  [
    'preset.case_renamed',
    { case: 'Late' },
    { case: 'Late parcel' },
    'renamed case “Late” to “Late parcel” in preset X',
  ],
  ['preset.case_removed', { case: 'Late parcel' }, null, 'removed case “Late parcel” from preset X'],
  ['key.created', null, key, 'created read-only management key “CI” X'],
  ['key.created', null, { ...key, kind: 'api', read_only: false }, 'created API key “CI” X'],
  ['key.deleted', { ...key, read_only: false }, null, 'deleted management key “CI” X'],
  ['key.expiry_changed', { expires_at: 'a' }, { expires_at: null }, 'removed the expiry of key X'],
  ['key.presets_changed', { presets: null }, { presets: 'bot' }, 'changed the presets of key X'],
  ['key.presets_changed', { presets: 'bot' }, { presets: null }, 'removed the preset restriction of key X'],
  [
    'key.limit_changed',
    { limit: null, limit_reset: null },
    { limit: 50, limit_reset: 'monthly' },
    'limited key X to $50 per month',
  ],
  [
    'key.limit_changed',
    { limit: 50, limit_reset: 'monthly' },
    { limit: 12.5, limit_reset: null },
    'limited key X to $12.50',
  ],
  [
    'key.limit_changed',
    { limit: 12.5, limit_reset: null },
    { limit: null, limit_reset: null },
    'removed the spending limit of key X',
  ],
  ['key.moved', { workspace_id: 'a' }, { workspace_id: 'b' }, 'moved key X to another workspace'],
  ['workspace.member_added', null, { user_id: 'user_1', email: 'a@b.c' }, 'added a@b.c to workspace X'],
  ['workspace.member_removed', { user_id: 'user_1', email: null }, null, 'removed user_1 from workspace X'],
  ['member.role_changed', { role: 'org:member' }, { role: 'org:admin' }, 'made X an admin'],
  [
    'workspace.member_role_changed',
    { user_id: 'user_1', email: 'a@b.c', role: 'viewer' },
    { user_id: 'user_1', email: 'a@b.c', role: 'editor' },
    'made a@b.c an editor of workspace X',
  ],
  [
    'member.role_changed',
    { role: 'org:member' },
    { role: 'org:admin', provider: 'okta', groups: 'admins, staff' },
    'made X an admin (groups in Okta: admins, staff)',
  ],
  [
    'workspace.member_removed',
    { user_id: 'user_1', email: 'a@b.c', role: 'viewer' },
    { provider: 'scim', groups: null },
    'removed a@b.c from workspace X (no longer in a group in SCIM that gives the role)',
  ],
  ['account.signed_in', null, { method: 'password' }, 'signed in as X with a password'],
  ['account.signed_in', null, { method: 'okta' }, 'signed in as X with Okta'],
  ['account.signed_in', null, { method: 'gone' }, 'signed in as X with gone'],
  ['account.sign_in_failed', null, { method: 'password' }, 'failed to sign in as X with a password'],
  ['account.sessions_ended', null, { sessions: 1 }, 'ended 1 session of X'],
  ['group.member_removed', { email: 'a@b.c' }, null, 'removed a@b.c from group X'],
  ['member.removed', { email: 'a@b.c' }, null, 'removed X from the organization'],
  ['preset.frozen', null, null, 'preset.frozen: X'],
])('the audit event %s from %j to %j is described', (kind, before, after, sentence) => {
  expect(textOf(phraseOf({ kind, before, after }, providerName))).toBe(sentence);
});

it.each(auditKinds)('the audit event %s is described even without values', (kind) => {
  const parts = phraseOf({ kind, before: null, after: null }, providerName);
  expect(textOf(parts)).toMatch(/^[a-z]/);
  expect(parts.filter((part) => part === subject)).toHaveLength(1);
});

it('a version in a phrase is a separate part, so that it can be a link', () => {
  const parts = phraseOf({ kind: 'preset.version_added', before: null, after: { version: 2 } }, providerName);
  expect(parts).toContainEqual({ version: 2 });
});

function textOf(parts: readonly PhrasePart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('person' in part) return part.person;
      return 'version' in part ? `version ${part.version}` : 'X';
    })
    .join(' ');
}
