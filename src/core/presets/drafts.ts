import type { Clock } from '../clock.ts';
import { PresetdError, raise } from '../errors.ts';
import type { Page } from '../page.ts';
import { assertStorableText } from '../request-issues.ts';
import type { ChangeRequest } from './change-preset.ts';
import {
  type Draft,
  type DraftContent,
  type DraftRule,
  type DraftSummary,
  discardDraft,
  saveDraft,
  unknownDraft,
} from './draft.ts';
import { draftBytesMax } from './preset.ts';
import { changeOf, type PresetRequest, requirePreset, unknownPreset } from './preset-access.ts';
import type { DraftStore, PresetStore } from './preset-storage.ts';

export type Drafts = ReturnType<typeof createDrafts>;

/**
 * The drafts of a preset. A draft belongs to the person who is signed in or owns the key; nobody
 * else can read its text. Each method throws `not_found` if there is no such preset. The
 * precondition of a change is about the draft.
 */
export function createDrafts(drafts: DraftStore, presets: Pick<PresetStore, 'state'>, clock: Clock) {
  function change(request: ChangeRequest, rule: DraftRule): Promise<Draft | undefined> {
    const { address, actor } = changeOf(request, 'write', clock);
    return drafts.change(address, actor, (preset, current) => {
      if (preset === undefined) throw unknownPreset(address.slug);
      return rule(preset, current, actor.userId, clock());
    });
  }

  return {
    /** Throws `not_found` if the caller has none. */
    async get(request: PresetRequest): Promise<Draft> {
      const { id, slug } = await requirePreset(presets, request);
      return (await drafts.find(id, request.caller.ownerId)) ?? raise(unknownDraft(slug));
    },

    /** Everybody's, most recently changed first. */
    async list(
      request: PresetRequest,
      page: Page,
    ): Promise<{ readonly drafts: readonly DraftSummary[]; readonly totalCount: number }> {
      return drafts.list((await requirePreset(presets, request)).id, page);
    },

    async save(request: ChangeRequest, content: DraftContent): Promise<Draft> {
      assertStorableText('/text', content.text);
      assertDraftSize(content);
      const saved = await change(request, saveDraft(content, request.precondition));
      if (saved === undefined) throw new Error('the draft that was just saved is missing');
      return saved;
    },

    /** Throws `not_found` if the caller has none. */
    async discard(request: ChangeRequest): Promise<void> {
      await change(request, discardDraft(request.precondition));
    },
  };
}

export function assertDraftSize({ text }: Pick<DraftContent, 'text'>): void {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so a short text needs no exact count.
  if (text.length * 3 <= draftBytesMax || Buffer.byteLength(text) <= draftBytesMax) return;
  throw new PresetdError('too_large', `A draft can have at most ${draftBytesMax} bytes of text.`);
}
