import type { AuditKind } from '../../../../src/core/audit/audit-kinds.ts';
import { roleName } from '../../api/organization.ts';
import { formatCount } from '../../components/text.ts';
import { type EventFields, isNotLive, isVersion } from '../../features/events/changed-versions.ts';
import { quoted } from '../../features/events/describe-event.ts';

/** Part of a sentence about an event: text, the event's subject, or a version to link to. */
export type PhrasePart = string | typeof subject | { readonly version: number };

export const subject = { isSubject: true } as const;

/**
 * The parts of a phrase such as "disabled key sk-pst-v1-ab1…9f2". An unknown kind is shown as is.
 * `providerName` returns the name of a sign-in provider by its id.
 */
export function phraseOf(
  { kind, before, after }: EventFields,
  providerName: ProviderName,
): readonly PhrasePart[] {
  return isKnown(kind) ? phrases[kind](after ?? {}, before ?? {}, providerName) : [`${kind}:`, subject];
}

type ProviderName = (id: string) => string;

type Values = NonNullable<EventFields['after']>;

type MakePhrase = (after: Values, before: Values, providerName: ProviderName) => readonly PhrasePart[];

/** One phrase per kind. A new kind does not compile until it has one here. */
const phrases: Readonly<Record<AuditKind, MakePhrase>> = {
  'preset.created': (after) => ['created preset', subject, ...remarks(after)],
  'preset.version_added': (after) => [
    'added',
    versionPart(after.version),
    'to preset',
    subject,
    ...remarks(after),
  ],
  'preset.designated': ({ designated_version }) => [
    'made',
    versionPart(designated_version),
    'of preset',
    subject,
    'live',
  ],
  'preset.label_moved': ({ label, version }, { version: old }) => [
    `${old == null ? 'added' : 'moved'} label ${label} to`,
    versionPart(version),
    'of preset',
    subject,
  ],
  'preset.label_removed': (_, { label, version }) => [
    `removed label ${label} from`,
    versionPart(version),
    'of preset',
    subject,
  ],
  'preset.renamed': ({ name }) => ['renamed preset', subject, `to “${name}”`],
  'preset.slug_changed': ({ slug }, { slug: old }) => [
    'changed the slug of preset',
    subject,
    `from ${old} to ${slug}`,
  ],
  'preset.alias_added': ({ alias }) => [`added alias ${alias} to preset`, subject],
  'preset.alias_removed': (_, { alias }) => [`removed alias ${alias} from preset`, subject],
  'preset.described': () => ['changed the description of preset', subject],
  'preset.tagged': ({ tags }) =>
    tags === null ? ['removed all tags of preset', subject] : ['tagged preset', subject, `with ${tags}`],
  'preset.case_saved': ({ case: name }) => [`saved case “${name}” of preset`, subject],
  'preset.case_renamed': (after, before) => [
    `renamed case “${before.case}” to “${after.case}” in preset`,
    subject,
  ],
  'preset.case_removed': (_, { case: name }) => [`removed case “${name}” from preset`, subject],
  'preset.disabled': () => ['disabled preset', subject],
  'preset.enabled': () => ['enabled preset', subject],
  'preset.archived': () => ['archived preset', subject],
  'preset.restored': () => ['restored preset', subject],
  'preset.imported': () => ['imported preset', subject],
  'key.created': (after) => [`created ${keyWords(after)}`, subject],
  'key.renamed': ({ name }) => ['renamed key', subject, `to “${name}”`],
  'key.disabled': () => ['disabled key', subject],
  'key.enabled': () => ['enabled key', subject],
  'key.expiry_changed': ({ expires_at }) => [
    expires_at === null ? 'removed the expiry of key' : 'changed the expiry of key',
    subject,
  ],
  'key.moved': () => ['moved key', subject, 'to another workspace'],
  'key.rotated': () => ['rotated key', subject],
  'key.deleted': (_, before) => [`deleted ${keyWords(before)}`, subject],
  'workspace.created': () => ['created workspace', subject],
  'workspace.renamed': ({ name }) => ['renamed workspace', subject, `to “${name}”`],
  'workspace.slug_changed': ({ slug }) => ['changed the slug of workspace', subject, `to ${slug}`],
  'workspace.described': () => ['changed the description of workspace', subject],
  'workspace.deleted': () => ['deleted workspace', subject],
  'workspace.member_added': ({ email, user_id, ...cause }, _, providerName) => [
    `added ${email ?? user_id} to workspace`,
    subject,
    ...causeWords(cause, providerName),
  ],
  'workspace.member_removed': (cause, { email, user_id }, providerName) => [
    `removed ${email ?? user_id} from workspace`,
    subject,
    ...causeWords(cause, providerName),
  ],
  'workspace.member_role_changed': ({ email, user_id, role, ...cause }, _, providerName) => [
    `made ${email ?? user_id} ${withArticle(String(role))} of workspace`,
    subject,
    ...causeWords(cause, providerName),
  ],
  'member.added': ({ role }) => ['added', subject, `as ${roleName(role)}`],
  'member.renamed': () => ['changed the name of', subject],
  'member.role_changed': ({ role, ...cause }, _, providerName) => [
    'made',
    subject,
    withArticle(roleName(role)),
    ...causeWords(cause, providerName),
  ],
  'member.email_changed': ({ email }) => ['changed the address of', subject, `to ${email}`],
  'member.deactivated': () => ['deactivated', subject],
  'member.reactivated': () => ['reactivated', subject],
  'member.provisioned': ({ user_name }) => ['provisioned', subject, `as ${user_name}`],
  'member.removed': () => ['removed', subject, 'from the organization'],
  'group.created': () => ['created group', subject],
  'group.renamed': ({ name }) => ['changed group', subject, `to ${name}`],
  'group.member_added': ({ email, user_id }) => [`added ${email ?? user_id} to group`, subject],
  'group.member_removed': (_, { email, user_id }) => [`removed ${email ?? user_id} from group`, subject],
  'account.signed_in': ({ method }, _, providerName) => [
    'signed in as',
    subject,
    ...signInWords(method, providerName),
  ],
  'account.sign_in_failed': ({ method }, _, providerName) => [
    'failed to sign in as',
    subject,
    ...signInWords(method, providerName),
  ],
  'account.password_set': () => ['set the password of', subject],
  'account.sessions_ended': ({ sessions }) => [
    typeof sessions === 'number'
      ? `ended ${formatCount(sessions, 'session', 'sessions')} of`
      : 'ended sessions of',
    subject,
  ],
  'account.link_created': () => ['created a sign-in link for', subject],
  'account.identity_linked': () => ['linked an identity to', subject],
  'account.command_line_denied': () => ['denied a command-line sign-in to', subject],
  'group.deleted': () => ['deleted group', subject],
};

function isKnown(kind: string): kind is AuditKind {
  return Object.hasOwn(phrases, kind);
}

function keyWords({ name, kind, read_only }: Values): string {
  const words =
    kind === 'api' ? 'API key' : read_only === true ? 'read-only management key' : 'management key';
  return `${words} “${name}”`;
}

function signInWords(method: unknown, providerName: ProviderName): readonly string[] {
  if (typeof method !== 'string') return [];
  const isOwn = method === 'password' || method === 'link';
  return [`with ${isOwn ? withArticle(method) : providerName(method)}`];
}

/**
 * Groups of a provider or of SCIM can decide a role. The actor is then the person who signed in, or
 * SCIM, so the phrase has to say why.
 */
function causeWords({ provider, groups }: Values, providerName: ProviderName): readonly string[] {
  if (typeof provider !== 'string') return [];
  const source = provider === 'scim' ? 'SCIM' : providerName(provider);
  return typeof groups === 'string'
    ? [`(groups in ${source}: ${groups})`]
    : [`(no longer in a group in ${source} that gives the role)`];
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Details of a new version: its note, and whether it went live. */
function remarks(after: Values): readonly string[] {
  const found = [
    ...(typeof after.note === 'string' ? [`with the note ${quoted(after.note)}`] : []),
    ...(isNotLive(after) ? ['without making it live'] : []),
  ];
  return found.length === 0 ? [] : [found.join(', ')];
}

function versionPart(version: unknown): PhrasePart {
  return isVersion(version) ? { version } : 'a version';
}
