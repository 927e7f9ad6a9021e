import type { Dialect } from '../../../src/core/preset.ts';
import { parseExactJson } from '../api/exact-json.ts';
import type { SeenPreset } from '../api/presets.ts';
import { draftPrefix, forget, remember, remembered } from '../session/tab-memory.ts';

/** What is on the page, and what it was made from. */
export interface Draft {
  readonly text: string;
  readonly slug: string;
  /** Where the person said how the text is written. */
  readonly dialect?: Dialect | undefined;
  /** The state of the preset to which the text is the next version; absent for a new preset. */
  readonly before?: SeenPreset | undefined;
}

/** A draft belongs to a workspace, and to a preset or a new one. */
export function draftName(workspaceId: string | null | undefined, slug: string | undefined): string {
  return `${workspaceId ?? ''}/${slug ?? ''}`;
}

export function keptDraft(name: string): Draft | undefined {
  const text = remembered(`${draftPrefix}${name}`);
  // Only what `keepDraft` wrote is there.
  return text === undefined ? undefined : (parseExactJson(text) as Draft);
}

/** Whether it will still be there when the page is loaded again. */
export function keepDraft(name: string, draft: Draft): boolean {
  return remember(`${draftPrefix}${name}`, JSON.stringify(draft));
}

export function dropDraft(name: string): void {
  forget(`${draftPrefix}${name}`);
}
