import { newId } from '../../src/core/identifiers.ts';
import { joinAs } from '../../src/core/member-change.ts';
import { emailKey } from '../../src/core/organization.ts';
import type { WorkspaceAddress } from '../../src/core/preset.ts';
import { type Author, versionEvent } from '../../src/core/preset-event.ts';
import { wordsOf } from '../../src/core/words.ts';
import { capturePreset } from '../../src/dialects/chat-completions/capture-preset.ts';
import type { ChatCompletionsRequest } from '../../src/dialects/chat-completions/schema.ts';

const time = 'timestamptz';

/** So many of each are in a database. */
export interface Size {
  readonly presets: number;
  readonly members: number;
}

/** Words of slugs, by how many presets have them at any size. */
export const everyPreset = 'assistant';
export const half = ['internal', 'external'] as const;
export const tenth = [
  ...['support', 'sales', 'legal', 'finance', 'travel'],
  ...['hiring', 'editing', 'research', 'planning', 'coding'],
] as const;
export const tenPresets = 'quokka';

const versionsOfSome = 10;

/** Every tenth preset has ten versions, the others one. */
export function versionsOf(index: number): number {
  return index % 10 === 0 ? versionsOfSome : 1;
}

/**
 * The first five topics are internal and the others external, so that some pairs of common words never meet. The end of a
 * slug is in no order, as with names that people choose.
 */
export function slugOf(index: number, { presets }: Size): string {
  const place = Math.floor(index / 10) % 10;
  const rare = index % Math.max(1, Math.floor(presets / 10)) === 3 ? `-${tenPresets}` : '';
  return `${tenth[place]}-${half[place < 5 ? 0 : 1]}-${everyPreset}${rare}-${scrambled(index)}`;
}

/** Each number becomes another one, as it is multiplied by an odd number. */
function scrambled(index: number): string {
  return (Math.imul(index, 2_654_435_761) >>> 0).toString(36).padStart(7, '0');
}

/** A short request, so that a million of them fit on a disk: 0.4 kB are kept of it. */
export function presetRequest(text: string): ChatCompletionsRequest {
  return {
    model: 'anthropic/claude-sonnet-4.5',
    temperature: 0.7,
    max_tokens: 2_048,
    messages: [
      {
        role: 'system',
        content: `Answer in the language of the customer, in at most four sentences. ${text}`,
      },
      { role: 'user', content: 'Where is my order?' },
    ],
    provider: { order: ['anthropic', 'amazon-bedrock'], allow_fallbacks: true },
  };
}

/** What a version of any of these presets was captured from. */
export function requestOf(version: number): ChatCompletionsRequest {
  return presetRequest(`Version ${version}.`);
}

/** Rows of one table, in the order of its columns. */
export type Rows = Record<TableName, (string | number | null)[][]>;

export type TableName = keyof typeof tables;

/** What is written, with the types that PostgreSQL has to be told. */
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

/** The presets from one number up to another, as creates would have left them. */
export function presetRows(from: number, to: number, size: Size, { workspace, author }: Site): Rows {
  const rows = noRows();
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
      const { id, kind, before, after } = versionEvent(newId(), version, version - 1);
      const { config, systemPrompt } = capturePreset(requestOf(version));
      const configJson = JSON.stringify(config);
      rows.preset_versions.push([
        ...[id, presetId, version, 'chat-completions', configJson, systemPrompt, userId, at(version)],
      ]);
      rows.audit_events.push([
        ...[id, organizationId, workspaceId, presetId, version, kind, userId, keyLabel, null, null],
        ...[before && JSON.stringify(before), after && JSON.stringify(after), at(version)],
      ]);
    }
    for (const word of wordsOf(slug)) rows.preset_words.push([presetId, word, workspaceId]);
  }
  return rows;
}

export function personOf(index: number) {
  return {
    email: `firstname.lastname-${scrambled(index)}@example.com`,
    firstName: 'Firstname',
    lastName: `Lastname-${index}`,
  };
}

/** The members from one number up to another, as adding them would have left them. */
export function memberRows(from: number, to: number, { workspace, author }: Site): Rows {
  const rows = noRows();
  const { organizationId } = workspace;
  for (let index = from; index < to; index += 1) {
    const at = new Date(firstTime + index * stepMs).toISOString();
    const { next, events } = joinAs(personOf(index), undefined, at);
    if (next === null) throw new Error('whoever joins is there');
    const { id, email, firstName, lastName, role } = next;
    rows.users.push([id, email, emailKey(email), firstName, lastName, at]);
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

export interface Site {
  readonly workspace: WorkspaceAddress;
  readonly author: Author;
}

function noRows(): Rows {
  return {
    users: [],
    memberships: [],
    presets: [],
    preset_versions: [],
    preset_words: [],
    audit_events: [],
  };
}

/** A million steps are the months before. */
const firstTime = Date.parse('2026-01-01T00:00:00Z');
const stepMs = 20_000;
