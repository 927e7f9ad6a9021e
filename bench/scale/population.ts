import type { Author } from '../../src/core/event.ts';
import { newId } from '../../src/core/identifiers.ts';
import { joinOrganization } from '../../src/core/organization/member-change.ts';
import { normalizeEmail } from '../../src/core/organization/organization.ts';
import type { WorkspaceAddress } from '../../src/core/organization/workspace.ts';
import { versionEvent } from '../../src/core/presets/preset-event.ts';
import { splitWords } from '../../src/core/text/words.ts';
import type { ChatCompletionsRequest } from '../../src/dialects/chat-completions/schema.ts';
import { capturePreset } from '../../src/dialects/presets/capture-preset.ts';

const time = 'timestamptz';

/** How many presets and members a database has. */
export interface Size {
  readonly presets: number;
  readonly members: number;
}

/**
 * Words in slugs. At any size, `commonWord` is in every preset, each of `halfWords` in half of
 * them, each of `tenthWords` in a tenth, and `rareWord` in ten.
 */
export const commonWord = 'assistant';
export const halfWords = ['internal', 'external'] as const;
export const tenthWords = [
  ...['support', 'sales', 'legal', 'finance', 'travel'],
  ...['hiring', 'editing', 'research', 'planning', 'coding'],
] as const;
export const rareWord = 'quokka';

/** Words in prompts and in no slug: one in the prompts of all presets, one in those of ten. */
export const commonPromptWord = 'customer';
export const rarePromptWord = 'wombat';

/** The versions of every tenth preset, so that some presets have a history. */
const manyVersions = 10;

/** Every tenth preset has ten versions, the others have one. */
export function versionsOf(index: number): number {
  return index % 10 === 0 ? manyVersions : 1;
}

/**
 * The slug of a preset. The first five topics are internal and the others external, so that some
 * pairs of common words never occur together. The end of a slug is scattered, like names that
 * people choose.
 */
export function slugOf(index: number, { presets }: Size): string {
  const place = Math.floor(index / 10) % 10;
  const rare = isRare(index, presets, 3) ? `-${rareWord}` : '';
  return `${tenthWords[place]}-${halfWords[place < 5 ? 0 : 1]}-${commonWord}${rare}-${scrambled(index)}`;
}

/** True for ten presets of a database. */
function isRare(index: number, presets: number, remainder: number): boolean {
  return index % Math.max(1, Math.floor(presets / 10)) === remainder;
}

/** Multiplying by an odd number modulo 2^32 maps each number to a different one. */
function scrambled(index: number): string {
  return (Math.imul(index, 2_654_435_761) >>> 0).toString(36).padStart(7, '0');
}

/** A short request, of which 0.4 kB are stored, so that a million fit on a disk. */
export function presetRequest(text: string): ChatCompletionsRequest {
  return {
    model: 'anthropic/claude-sonnet-4.5',
    temperature: 0.7,
    max_tokens: 2_048,
    messages: [
      {
        role: 'system',
        content: `Answer in the language of the ${commonPromptWord}, in at most four sentences. ${text}`,
      },
      { role: 'user', content: 'Where is my order?' },
    ],
    provider: { order: ['anthropic', 'amazon-bedrock'], allow_fallbacks: true },
  };
}

/** The request that a version of a preset was captured from. */
export function requestOf(index: number, version: number, { presets }: Size): ChatCompletionsRequest {
  return presetRequest(`Version ${version}.${isRare(index, presets, 4) ? ` ${rarePromptWord}` : ''}`);
}

/** Rows by table, with values in the order of its columns. */
export type Rows = Record<TableName, (string | number | null)[][]>;

export type TableName = keyof typeof tables;

/** The columns that are filled, with the types that PostgreSQL needs for arrays. */
export const tables = {
  users: {
    id: 'text',
    email: 'text',
    email_key: 'text',
    first_name: 'text',
    last_name: 'text',
    created_at: time,
  },
  memberships: { organization_id: 'uuid', user_id: 'text', role: 'text', joined_at: time },
  presets: {
    id: 'uuid',
    workspace_id: 'uuid',
    slug: 'text',
    name: 'text',
    status: 'text',
    latest_version: 'int',
    designated_version: 'int',
    revision: 'int',
    creator_user_id: 'text',
    created_at: time,
    updated_at: time,
  },
  preset_versions: {
    id: 'uuid',
    preset_id: 'uuid',
    version: 'int',
    dialect: 'text',
    config: 'json',
    system_prompt: 'text',
    creator_id: 'text',
    created_at: time,
  },
  preset_words: { preset_id: 'uuid', word: 'text', workspace_id: 'uuid' },
  audit_events: {
    id: 'uuid',
    organization_id: 'uuid',
    workspace_id: 'uuid',
    preset_id: 'uuid',
    number: 'int',
    kind: 'text',
    actor_id: 'text',
    key_label: 'text',
    subject_id: 'text',
    subject_name: 'text',
    before: 'json',
    after: 'json',
    created_at: time,
  },
} as const;

/** Rows for a range of presets, as creates would have left them. */
export function presetRows(from: number, to: number, size: Size, { workspace, author }: FillTarget): Rows {
  const rows = emptyRows();
  const { organizationId, workspaceId } = workspace;
  const { userId, keyLabel } = author;
  for (let index = from; index < to; index += 1) {
    const slug = slugOf(index, size);
    const presetId = newId();
    const latest = versionsOf(index);
    const at = (version: number) => new Date(firstTime + index * stepMs + version).toISOString();
    rows.presets.push([
      ...[presetId, workspaceId, slug, slug, 'active', latest, latest, latest, userId, at(1), at(latest)],
    ]);
    for (let version = 1; version <= latest; version += 1) {
      const { id, kind, before, after } = versionEvent(
        { id: newId(), version, extensionJson: null },
        version - 1,
      );
      const { config, systemPrompt } = capturePreset(requestOf(index, version, size), 'chat-completions');
      const configJson = JSON.stringify(config);
      rows.preset_versions.push([
        ...[id, presetId, version, 'chat-completions', configJson, systemPrompt, userId, at(version)],
      ]);
      rows.audit_events.push([
        ...[id, organizationId, workspaceId, presetId, version, kind, userId, keyLabel, null, null],
        ...[before && JSON.stringify(before), after && JSON.stringify(after), at(version)],
      ]);
    }
    for (const word of splitWords(slug)) rows.preset_words.push([presetId, word, workspaceId]);
  }
  return rows;
}

/** The same person for the same number. All share their first name, and no two their address. */
export function personOf(index: number) {
  return {
    email: `firstname.lastname-${scrambled(index)}@example.com`,
    firstName: 'Firstname',
    lastName: `Lastname-${index}`,
  };
}

/** Rows for a range of members, as adding them would have left them. */
export function memberRows(from: number, to: number, { workspace, author }: FillTarget): Rows {
  const rows = emptyRows();
  const { organizationId } = workspace;
  for (let index = from; index < to; index += 1) {
    const at = new Date(firstTime + index * stepMs).toISOString();
    const { next, events } = joinOrganization(personOf(index), undefined, at);
    if (next === null) throw new Error('a person who joins has no member');
    const { id, email, firstName, lastName, role } = next;
    rows.users.push([id, email, normalizeEmail(email), firstName, lastName, at]);
    rows.memberships.push([organizationId, id, role, at]);
    for (const { id: eventId, kind, workspaceId, subject, before, after } of events) {
      rows.audit_events.push([
        ...[eventId, organizationId, workspaceId, null, null, kind, author.userId, author.keyLabel],
        ...[subject.id, subject.name, before && JSON.stringify(before), after && JSON.stringify(after), at],
      ]);
    }
  }
  return rows;
}

/** Where rows are inserted, and on whose behalf. */
export interface FillTarget {
  readonly workspace: WorkspaceAddress;
  readonly author: Author;
}

function emptyRows(): Rows {
  return {
    users: [],
    memberships: [],
    presets: [],
    preset_versions: [],
    preset_words: [],
    audit_events: [],
  };
}

/** Times start here, in steps of 20 seconds. */
const firstTime = Date.parse('2026-01-01T00:00:00Z');
const stepMs = 20_000;
