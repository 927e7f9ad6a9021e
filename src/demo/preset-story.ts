import type { CaseLine, VersionLine } from '../api/transfer.ts';
import type { Dialect, PresetStatus } from '../core/presets/preset.ts';
import type { PersonId } from './people.ts';

/**
 * A preset of the demo as its authors would tell its story: each version lists what changed since
 * the one before, as a person changes a prompt. `versionsOf` turns it into requests to save.
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
  readonly labels?: Readonly<Record<string, number>>;
  /** Oldest first. */
  readonly versions: readonly VersionStory[];
  readonly cases?: readonly CaseStory[];
  /** Unsaved work of a person, on top of the newest version. */
  readonly draft?: Omit<VersionStory, 'note'>;
}

interface VersionStory extends VersionEdit {
  readonly by: PersonId;
  readonly daysAgo: number;
  readonly note: string;
  /** It was saved without going live, as a try. */
  readonly staged?: true;
}

/** The changes. Null removes a paragraph, a field or a variable; the rest stays as it was. */
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

interface CaseStory {
  readonly name: string;
  readonly variables?: Fields;
  /** The message of the user, or a whole conversation. */
  readonly says: string | NonNullable<CaseLine['messages']>;
  readonly note?: string;
}

/** A version at the time when its author saved it. */
export interface SavedVersion {
  readonly number: number;
  readonly by: PersonId;
  readonly savedAt: Date;
  readonly isStaged: boolean;
  /** The request to save, in the dialect of the preset. */
  readonly request: Fields & { readonly presetd: object };
}

/** Oldest first. Dates count back from `now`. */
export function versionsOf(story: PresetStory, now: Date): readonly SavedVersion[] {
  let content: VersionEdit = {};
  return story.versions.map(({ by, daysAgo, note, staged = false, ...edit }, index) => {
    content = edited(content, edit);
    const { presetd, ...request } = requestOf(story, content);
    return {
      number: index + 1,
      by,
      savedAt: timeOf(daysAgo, `${story.slug} ${index}`, now),
      isStaged: staged,
      // Not saved, but messages require one.
      request: {
        ...(story.dialect === 'messages' && { messages: [{ role: 'user', content: 'Hello' }] }),
        ...request,
        presetd: { ...presetd, note, designate: !staged },
      },
    };
  });
}

interface SavedDraft {
  readonly by: PersonId;
  readonly savedAt: Date;
  readonly text: string;
}

export function draftOf(story: PresetStory, now: Date): SavedDraft | undefined {
  const { slug, draft, versions } = story;
  if (draft === undefined) return undefined;
  const request = requestOf(story, edited(versions.reduce<VersionEdit>(edited, {}), draft));
  return {
    by: draft.by,
    savedAt: timeOf(draft.daysAgo, slug, now),
    text: JSON.stringify(request, null, 2),
  };
}

function requestOf({ dialect = 'chat-completions' }: PresetStory, content: VersionEdit) {
  return {
    ...withPrompt[dialect](content.config ?? {}, promptOf(content)),
    presetd: extensionOf(content),
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
function timeOf(daysAgo: number, seed: string, now: Date): Date {
  const exact = new Date(now.getTime() - daysAgo * dayMs);
  if (!Number.isInteger(daysAgo) || daysAgo === 0) return exact;
  const minute = [...seed].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) % 480, 7);
  exact.setUTCHours(8, minute, minute % 60, (minute * 7) % 1_000);
  return exact;
}
