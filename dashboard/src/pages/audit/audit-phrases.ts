import { limitText } from '../../../../src/core/organization/limit-text.ts';
import type { OrganizationEventKind } from '../../../../src/core/organization/organization-event-kinds.ts';
import { roleName } from '../../api/organization.ts';
import { formatCount } from '../../components/text.ts';
import type { EventFields } from '../../features/events/changed-versions.ts';
import { type EventValues, type PhrasePart, subject } from '../../features/events/event-parts.ts';
import { presetEventTexts } from '../../features/events/preset-event-texts.ts';

/**
 * The parts of a phrase such as "disabled key sk-pst-v1-ab1…9f2". An unknown kind is shown as is.
 * `providerName` returns the name of a sign-in provider by its id.
 */
export function phraseOf(
  { kind, before, after }: EventFields,
  providerName: ProviderName,
): readonly PhrasePart[] {
  const phrase = phraseByKind.get(kind);
  return phrase === undefined ? [`${kind}:`, subject] : phrase(after ?? {}, before ?? {}, providerName);
}

type ProviderName = (id: string) => string;

type MakePhrase = (
  after: EventValues,
  before: EventValues,
  providerName: ProviderName,
) => readonly PhrasePart[];

/** One phrase per kind of the organization. A new kind does not compile until it has one here. */
const phrases: Readonly<Record<OrganizationEventKind, MakePhrase>> = {
  'key.created': (after) => [`created ${keyWords(after)}`, subject],
  'key.renamed': ({ name }) => ['renamed key', subject, `to “${name}”`],
  'key.disabled': () => ['disabled key', subject],
  'key.enabled': () => ['enabled key', subject],
  'key.expiry_changed': ({ expires_at }) => [
    expires_at === null ? 'removed the expiry of key' : 'changed the expiry of key',
    subject,
  ],
  'key.presets_changed': ({ presets }) => [
    presets === null ? 'removed the preset restriction of key' : 'changed the presets of key',
    subject,
  ],
  'key.limit_changed': ({ limit, limit_reset }) =>
    typeof limit === 'number'
      ? ['limited key', subject, `to ${limitText({ limit, limit_reset: textOrNull(limit_reset) })}`]
      : ['removed the spending limit of key', subject],
  'key.moved': () => ['moved key', subject, 'to another workspace'],
  'key.rotated': () => ['rotated key', subject],
  'key.deleted': (_, before) => [`deleted ${keyWords(before)}`, subject],
  'workspace.created': () => ['created workspace', subject],
  'workspace.renamed': ({ name }) => ['renamed workspace', subject, `to “${name}”`],
  'workspace.slug_changed': ({ slug }) => ['changed the slug of workspace', subject, `to ${slug}`],
  'workspace.described': () => ['changed the description of workspace', subject],
  'workspace.content_log_changed': ({ enabled }, before) => [
    enabled === before.enabled
      ? 'changed the content log of workspace'
      : `turned ${enabled === true ? 'on' : 'off'} the content log of workspace`,
    subject,
  ],
  'workspace.content_read': ({ generation_id }) => [
    'read the content of call',
    { call: String(generation_id) },
    'in workspace',
    subject,
  ],
  'workspace.deleted': () => ['deleted workspace', subject],
  'workspace.member_added': ({ email, user_id, ...cause }, _, providerName) => [
    'added',
    personPart(email ?? user_id),
    'to workspace',
    subject,
    ...causeWords(cause, providerName),
  ],
  'workspace.member_removed': (cause, { email, user_id }, providerName) => [
    'removed',
    personPart(email ?? user_id),
    'from workspace',
    subject,
    ...causeWords(cause, providerName),
  ],
  'workspace.member_role_changed': ({ email, user_id, role, ...cause }, _, providerName) => [
    'made',
    personPart(email ?? user_id),
    `${withArticle(String(role))} of workspace`,
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
  'group.member_added': ({ email, user_id }) => ['added', personPart(email ?? user_id), 'to group', subject],
  'group.member_removed': (_, { email, user_id }) => [
    'removed',
    personPart(email ?? user_id),
    'from group',
    subject,
  ],
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
  'usage.repriced': ({ calls }) => [`repriced ${formatCount(Number(calls), 'call', 'calls')} of`, subject],
};

const phraseByKind: ReadonlyMap<string, MakePhrase> = new Map([
  ...Object.entries(presetEventTexts).map(([kind, { phrase }]) => [kind, phrase] as const),
  ...Object.entries(phrases),
]);

function keyWords({ name, kind, read_only }: EventValues): string {
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
function causeWords({ provider, groups }: EventValues, providerName: ProviderName): readonly string[] {
  if (typeof provider !== 'string') return [];
  const source = provider === 'scim' ? 'SCIM' : providerName(provider);
  return typeof groups === 'string'
    ? [`(groups in ${source}: ${groups})`]
    : [`(no longer in a group in ${source} that gives the role)`];
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function personPart(person: unknown): PhrasePart {
  return { person: String(person) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
