import type { CaseLine, DraftLine, ImportLine, PresetLine, VersionLine } from '../api/transfer.ts';
import type { Dialect, PresetStatus } from '../core/presets/preset.ts';
import type { PersonId } from './people.ts';

/**
 * A preset of the demo as its authors would tell its story: each version lists what changed since
 * the one before, as a person changes a prompt. `importBatches` turns it into the lines of an import,
 * because an import is the only way to store versions with the dates of their story.
 */
export interface PresetStory {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  /** Default: chat-completions. */
  readonly dialect?: Dialect;
  /** Default: active. */
  readonly status?: PresetStatus;
  readonly tags: readonly string[];
  readonly aliases?: readonly string[];
  /** The live version. Default: the newest. */
  readonly live?: number;
  readonly labels?: Readonly<Record<string, number>>;
  /** Oldest first. */
  readonly versions: readonly VersionStory[];
  readonly cases?: readonly CaseStory[];
  /** Unsaved work of a person, on top of the newest version. */
  readonly draft?: Omit<VersionStory, 'note'>;
}

export interface VersionStory extends VersionEdit {
  readonly by: PersonId;
  readonly daysAgo: number;
  readonly note: string;
}

/** What changed. Null removes a paragraph, a field or a variable; the rest stays as it was. */
interface VersionEdit {
  /** Paragraphs of the system prompt by any name, in their order. */
  readonly prompt?: Readonly<Record<string, string | null>>;
  readonly config?: Fields;
  readonly variables?: Fields;
  readonly messages?: readonly ExampleMessage[];
  readonly policy?: NonNullable<VersionLine['presetd']>['policy'];
}

type Fields = Readonly<Record<string, unknown>>;

interface ExampleMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface CaseStory {
  readonly name: string;
  readonly variables?: Fields;
  /** The message of the user, or a whole conversation. */
  readonly says: string | NonNullable<CaseLine['messages']>;
  readonly note?: string;
}

/** The lines that one person imports. */
export interface ImportBatch {
  readonly by: PersonId;
  readonly lines: readonly ImportLine[];
}

/**
 * Splits the story where the author changes: the person who imports a version becomes its author.
 * Dates count back from `now`.
 */
export function importBatches(story: PresetStory, now: Date): readonly ImportBatch[] {
  const versions = versionLines(story, now);
  const preset = presetLine(story, versions);
  const batches: { by: PersonId; lines: ImportLine[] }[] = [];
  for (const [index, { by }] of story.versions.entries()) {
    if (batches.at(-1)?.by !== by) batches.push({ by, lines: [preset] });
    batches.at(-1)?.lines.push(versions[index] as VersionLine);
  }
  batches.at(-1)?.lines.push(...caseLines(story));
  if (story.draft !== undefined)
    batches.push({ by: story.draft.by, lines: [preset, draftLine(story, story.draft, now)] });
  return batches;
}

function presetLine(story: PresetStory, versions: readonly VersionLine[]): PresetLine {
  const { slug, name, description, status = 'active', tags, aliases, labels = {}, cases = [] } = story;
  const times = versions.map((version) => version.created_at);
  const [created = '', updated = ''] = [times[0], times.at(-1)];
  return {
    type: 'preset',
    slug,
    name,
    description,
    status,
    status_updated_at: status === 'active' ? null : updated,
    created_at: created,
    updated_at: updated,
    versions: versions.length,
    designated_version: story.live ?? versions.length,
    labels,
    ...(aliases && { aliases: [...aliases] }),
    tags: [...tags],
    ...(cases.length > 0 && { cases: cases.map((item) => item.name) }),
  };
}

function versionLines(story: PresetStory, now: Date): readonly VersionLine[] {
  let content: VersionEdit = {};
  return story.versions.map((edit, index) => {
    content = edited(content, edit);
    return {
      type: 'version',
      slug: story.slug,
      version: index + 1,
      dialect: story.dialect ?? 'chat-completions',
      system_prompt: promptOf(content),
      created_at: timeOf(edit.daysAgo, `${story.slug} ${index}`, now),
      config: content.config ?? {},
      presetd: { note: edit.note, ...extensionOf(content) },
    };
  });
}

function caseLines({ slug, cases = [] }: PresetStory): readonly CaseLine[] {
  return cases.map(({ name, variables = {}, says, note }) => ({
    type: 'case',
    slug,
    name,
    variables,
    messages: typeof says === 'string' ? [{ role: 'user', content: says }] : says,
    ...(note !== undefined && { note }),
  }));
}

function draftLine(story: PresetStory, draft: NonNullable<PresetStory['draft']>, now: Date): DraftLine {
  const { slug, dialect = 'chat-completions', versions } = story;
  const content = edited(versions.reduce<VersionEdit>(edited, {}), draft);
  const request = {
    ...withPrompt[dialect](content.config ?? {}, promptOf(content)),
    presetd: extensionOf(content),
  };
  return {
    type: 'draft',
    slug,
    text: JSON.stringify(request, null, 2),
    dialect,
    base_version: versions.length,
    updated_at: timeOf(draft.daysAgo, slug, now),
  };
}

/** Where each dialect has the system prompt. */
const withPrompt: Readonly<Record<Dialect, (config: Fields, prompt: string) => Fields>> = {
  'chat-completions': ({ model, ...config }, prompt) => ({
    model,
    messages: [{ role: 'system', content: prompt }],
    ...config,
  }),
  messages: ({ model, ...config }, prompt) => ({ model, system: prompt, ...config }),
  responses: ({ model, ...config }, prompt) => ({ model, instructions: prompt, ...config }),
};

function edited(content: VersionEdit, edit: VersionEdit): VersionEdit {
  const messages = edit.messages ?? content.messages;
  const policy = edit.policy ?? content.policy;
  return {
    prompt: merged(content.prompt, edit.prompt),
    config: merged(content.config, edit.config),
    variables: merged(content.variables, edit.variables),
    ...(messages && { messages }),
    ...(policy && { policy }),
  };
}

function merged<Value>(
  fields: Readonly<Record<string, Value>> = {},
  changes: Readonly<Record<string, Value>> = {},
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries({ ...fields, ...changes }).filter(([, value]) => value !== null));
}

function promptOf({ prompt = {} }: VersionEdit): string {
  return Object.values(prompt).join('\n\n');
}

function extensionOf({ variables = {}, messages, policy }: VersionEdit): NonNullable<VersionLine['presetd']> {
  return {
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(messages && { messages: [...messages] }),
    ...(policy && { policy }),
  };
}

const dayMs = 86_400_000;

/**
 * On an earlier day, some minute between 8:00 and 16:00 UTC that is always the same for the same
 * text. Fractions of a day count exactly.
 */
function timeOf(daysAgo: number, seed: string, now: Date): string {
  const exact = new Date(now.getTime() - daysAgo * dayMs);
  if (!Number.isInteger(daysAgo) || daysAgo === 0) return exact.toISOString();
  const minute = [...seed].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) % 480, 7);
  exact.setUTCHours(8, minute, minute % 60, (minute * 7) % 1_000);
  return exact.toISOString();
}
