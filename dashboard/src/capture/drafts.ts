import type { Dialect } from '../../../src/core/preset.ts';
import { parseExactJson } from '../api/exact-json.ts';
import type { SeenPreset } from '../api/presets.ts';
import type { Session } from '../session/session.tsx';
import { draftPrefix, forget, remember, remembered } from '../session/tab-memory.ts';

/** What is on the page, and what it was made from. */
export interface Draft {
  readonly text: string;
  readonly slug: string;
  /** Where the person said how the text is written. */
  readonly dialect?: Dialect | undefined;
  /** The version that the text started from; absent where it was not one. */
  readonly from?: number | undefined;
  /** The state of the preset to which the text is the next version; absent for a new preset. */
  readonly before?: SeenPreset | undefined;
}

/**
 * A draft belongs to a workspace, and to a preset or a new one. A management key does not say which workspace is the default
 * one of its organization, so that this is named too.
 */
export function draftName(
  { key, workspaceId }: Pick<Session, 'workspaceId'> & { readonly key: KeyPlace },
  slug: string | undefined,
): string {
  return [key.organization_id, key.workspace_id ?? workspaceId, slug].map((part) => part ?? '').join('/');
}

type KeyPlace = Pick<Session['key'], 'organization_id' | 'workspace_id'>;

export function keptDraft(name: string): Draft | undefined {
  const text = remembered(`${draftPrefix}${name}`);
  // Only what `keepDraft` wrote is there.
  return text === undefined ? undefined : (parseExactJson(text) as Draft);
}

/** Whether it will still be there when the page is loaded again. */
export function keepDraft(name: string, draft: Draft): boolean {
  return remember(`${draftPrefix}${name}`, JSON.stringify(draft));
}

/** Drafts of version 0.6 don't say which version they started from: it was always the live one. */
export function startOfDraft({ from, before }: Draft): number | undefined {
  return from ?? before?.preset.designated_version.version;
}

export function dropDraft(name: string): void {
  forget(`${draftPrefix}${name}`);
}
