import type { Facts } from '../../../../src/client/answers.ts';
import type { AuditEvent } from '../../../../src/client/organization-answers.ts';
import type { AuditKind } from '../../../../src/core/audit-kinds.ts';
import { isVersion } from '../../preset/preset-links.ts';

/** A sentence about an event, without the actor: text, the subject, and versions of a preset that can be looked at. */
export type PhrasePart = string | typeof subject | { readonly version: number };

export const subject = { isSubject: true } as const;

/** "disabled the key sk-pst-v1-ab1…9f2" in parts. A kind that is not known here is named as it is. */
export function phraseOf({
  kind,
  before,
  after,
}: Pick<AuditEvent, 'kind' | 'before' | 'after'>): readonly PhrasePart[] {
  return isKnown(kind) ? phrases[kind](after ?? {}, before ?? {}) : [`${kind}:`, subject];
}

type MakePhrase = (after: Facts, before: Facts) => readonly PhrasePart[];

const phrases: Readonly<Record<AuditKind, MakePhrase>> = {
  'preset.created': () => ['created the preset', subject],
  'preset.version_added': ({ version }) => ['added', versionPart(version), 'to the preset', subject],
  'preset.designated': ({ designated_version }) => [
    'made',
    versionPart(designated_version),
    'of the preset',
    subject,
    'live',
  ],
  'preset.label_moved': ({ label, version }, { version: old }) => [
    `${old == null ? 'put' : 'moved'} the label ${label} of the preset`,
    subject,
    old == null ? 'on' : 'to',
    versionPart(version),
  ],
  'preset.label_removed': (_, { label, version }) => [
    `removed the label ${label} of the preset`,
    subject,
    'from',
    versionPart(version),
  ],
  'preset.renamed': ({ name }) => ['renamed the preset', subject, `to “${name}”`],
  'preset.described': () => ['changed the description of the preset', subject],
  'preset.disabled': () => ['disabled the preset', subject],
  'preset.enabled': () => ['enabled the preset', subject],
  'preset.archived': () => ['archived the preset', subject],
  'preset.restored': () => ['restored the preset', subject],
  'preset.imported': () => ['imported the preset', subject],
  'key.created': (after) => [`created ${keyWords(after)}`, subject],
  'key.renamed': ({ name }) => ['renamed the key', subject, `to “${name}”`],
  'key.disabled': () => ['disabled the key', subject],
  'key.enabled': () => ['enabled the key', subject],
  'key.expiry_changed': ({ expires_at }) => [
    'changed when the key',
    subject,
    expires_at === null ? 'expires, to never' : 'expires',
  ],
  'key.moved': () => ['moved the key', subject, 'to another workspace'],
  'key.rotated': () => ['gave a new secret to the key', subject],
  'key.deleted': (_, before) => [`deleted ${keyWords(before)}`, subject],
  'workspace.created': () => ['created the workspace', subject],
  'workspace.renamed': ({ name }) => ['renamed the workspace', subject, `to “${name}”`],
  'workspace.slug_changed': ({ slug }) => ['changed the slug of the workspace', subject, `to ${slug}`],
  'workspace.described': () => ['changed the description of the workspace', subject],
  'workspace.deleted': () => ['deleted the workspace', subject],
  'workspace.member_added': ({ email, user_id }) => [`added ${email ?? user_id} to the workspace`, subject],
  'workspace.member_removed': (_, { email, user_id }) => [
    `removed ${email ?? user_id} from the workspace`,
    subject,
  ],
  'member.added': ({ role }) => ['added', subject, `as ${role}`],
  'member.renamed': () => ['changed the name of', subject],
  'member.role_changed': ({ role }) => ['made', subject, `an ${role}`],
  'member.removed': () => ['removed', subject, 'from the organization'],
};

function isKnown(kind: string): kind is AuditKind {
  return Object.hasOwn(phrases, kind);
}

function keyWords({ name, kind, read_only }: Facts): string {
  const words =
    kind === 'api' ? 'API key' : read_only === true ? 'read-only management key' : 'management key';
  return `the ${words} “${name}”`;
}

function versionPart(version: unknown): PhrasePart {
  return isVersion(version) ? { version } : 'a version';
}
