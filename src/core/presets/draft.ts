import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { requireExistingVersion } from './label.ts';
import { type Precondition, presetEtag } from './precondition.ts';
import type { Dialect, PresetState } from './preset.ts';

/**
 * Drafts: unsaved work of one person on a preset. A draft is the text of a request, which becomes a
 * version when it is captured. It is not part of the preset: changing one has no event and does not
 * change the preset's ETag. It can also be changed while the preset is archived, so that nothing
 * typed is lost.
 */
export interface Draft extends DraftContent {
  readonly presetId: string;
  readonly userId: string;
  /** New for each draft that a person starts. */
  readonly id: string;
  /** Counts the changes of the draft, and is part of its ETag. */
  readonly revision: number;
  readonly updatedAt: string;
}

export interface DraftContent {
  /** Meant to be JSON, but not checked: it may be saved in the middle of a word. */
  readonly text: string;
  /** Null if it is not known yet. */
  readonly dialect: Dialect | null;
  /** The version that the draft started from. */
  readonly baseVersion: number;
}

/** A draft as colleagues see it. */
export interface DraftSummary {
  readonly userId: string;
  readonly email: string;
  /** Null if the person has no name. */
  readonly name: string | null;
  readonly baseVersion: number;
  readonly updatedAt: string;
}

/**
 * Decides what happens to a person's draft: undefined leaves it as it is, null deletes it. Throws
 * if the change is not allowed.
 */
export type DraftRule = (
  preset: PresetState,
  current: Draft | undefined,
  userId: string,
  at: string,
) => Draft | null | undefined;

/** Saving a draft that has this content already changes nothing. */
export function saveDraft(content: DraftContent, precondition: Precondition): DraftRule {
  return (preset, current, userId, at) => {
    assertDraftPrecondition(current, precondition);
    requireExistingVersion(preset, content.baseVersion);
    if (current !== undefined && hasContent(current, content)) return undefined;
    const { id = newId(), revision = 0 } = current ?? {};
    return { ...content, presetId: preset.id, userId, id, revision: revision + 1, updatedAt: at };
  };
}

export function discardDraft(precondition: Precondition): DraftRule {
  return (preset, current) => {
    assertDraftPrecondition(current, precondition);
    if (current === undefined) throw unknownDraft(preset.slug);
    return null;
  };
}

export function unknownDraft(slug: string): PresetdError {
  return new PresetdError('not_found', `You have no draft of the preset "${slug}".`);
}

export function hasContent(draft: Draft, { text, dialect, baseVersion }: DraftContent): boolean {
  return draft.text === text && draft.dialect === dialect && draft.baseVersion === baseVersion;
}

/** Protects what a person typed in one tab from another tab of theirs. */
function assertDraftPrecondition(draft: Draft | undefined, { ifMatch, mustBeNew }: Precondition): void {
  if (mustBeNew && draft !== undefined)
    throw new PresetdError('precondition_failed', 'You already have a draft of this preset.');
  if (ifMatch === undefined) return;
  if (draft === undefined)
    throw new PresetdError(
      'precondition_failed',
      'If-Match requires an existing draft, and you have none of this preset.',
    );
  if (ifMatch === '*' || ifMatch.includes(presetEtag(draft))) return;
  throw new PresetdError(
    'precondition_failed',
    `Your draft has changed since you read it: its ETag is now "${presetEtag(draft)}". Read it again, then repeat your change.`,
  );
}
