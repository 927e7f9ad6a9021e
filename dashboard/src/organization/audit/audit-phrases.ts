import type { Facts } from '../../../../src/client/answers.ts';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import type { AuditKind } from '../../../../src/core/audit-kinds.ts';

/** What somebody did, around the name of what they did it to. */
export interface Phrase {
  readonly before: string;
  readonly after: string;
}

/** "disabled the key sk-pst-v1-ab1…9f2" without its subject. A kind that is not known here is named as it is. */
export function phraseOf({ kind, before, after }: Pick<AuditEvent, 'kind' | 'before' | 'after'>): Phrase {
  if (!isKnown(kind)) return { before: `${kind}:`, after: '' };
  const [start, end = ''] = phrases[kind](after ?? {}, before ?? {});
  return { before: start, after: end };
}

type MakePhrase = (after: Facts, before: Facts) => readonly [before: string, after?: string];

const phrases: Readonly<Record<AuditKind, MakePhrase>> = {
  'preset.created': () => ['created the preset'],
  'preset.version_added': ({ version }) => [`added version ${version} to the preset`],
  'preset.designated': ({ designated_version }) => [
    `made version ${designated_version} of the preset`,
    'live',
  ],
  'preset.label_moved': ({ label, version }, { version: old }) => [
    `${old == null ? 'put' : 'moved'} the label ${label} of the preset`,
    `${old == null ? 'on' : 'to'} version ${version}`,
  ],
  'preset.label_removed': (_, { label }) => [`removed the label ${label} of the preset`],
  'preset.renamed': ({ name }) => ['renamed the preset', `to “${name}”`],
  'preset.described': () => ['changed the description of the preset'],
  'preset.disabled': () => ['disabled the preset'],
  'preset.enabled': () => ['enabled the preset'],
  'preset.archived': () => ['archived the preset'],
  'preset.restored': () => ['restored the preset'],
  'preset.imported': () => ['imported the preset'],
  'key.created': (after) => [`created ${keyWords(after)}`],
  'key.renamed': ({ name }) => ['renamed the key', `to “${name}”`],
  'key.disabled': () => ['disabled the key'],
  'key.enabled': () => ['enabled the key'],
  'key.expiry_changed': ({ expires_at }) => [
    'changed when the key',
    expires_at === null ? 'expires, to never' : 'expires',
  ],
  'key.rotated': () => ['gave a new secret to the key'],
  'key.deleted': (_, before) => [`deleted ${keyWords(before)}`],
  'workspace.created': () => ['created the workspace'],
  'workspace.renamed': ({ name }) => ['renamed the workspace', `to “${name}”`],
  'workspace.slug_changed': ({ slug }) => ['changed the slug of the workspace', `to ${slug}`],
  'workspace.described': () => ['changed the description of the workspace'],
  'workspace.deleted': () => ['deleted the workspace'],
  'workspace.member_added': ({ email, user_id }) => [`added ${email ?? user_id} to the workspace`],
  'workspace.member_removed': (_, { email, user_id }) => [`removed ${email ?? user_id} from the workspace`],
  'member.added': ({ role }) => ['added', `as ${role}`],
  'member.renamed': () => ['changed the name of'],
  'member.role_changed': ({ role }) => ['made', `an ${role}`],
  'member.removed': () => ['removed', 'from the organization'],
};

function isKnown(kind: string): kind is AuditKind {
  return Object.hasOwn(phrases, kind);
}

function keyWords({ name, kind, read_only }: Facts): string {
  const words =
    kind === 'api' ? 'API key' : read_only === true ? 'read-only management key' : 'management key';
  return `the ${words} “${name}”`;
}
