import type { Clock } from '../clock.ts';
import { PresetdError, raise } from '../errors.ts';
import type { Page } from '../page.ts';
import { assertNoIssues } from '../request-issues.ts';
import { findTextIssues } from '../text/storable-text.ts';
import { type CaseRule, removeCase, saveCase, unknownCase } from './case.ts';
import { assertCaseName, caseBytesMax } from './case-name.ts';
import type { ChangeRequest } from './change-preset.ts';
import { assertPrecondition } from './precondition.ts';
import type { CaseReference, Preset, PresetCase } from './preset.ts';
import { changeOf, type PresetRequest, requirePreset, unknownPreset } from './preset-access.ts';
import type { CaseStore, PresetStore } from './preset-storage.ts';
import { streamBatches } from './stream-batches.ts';

/** The wire format of a case, with exact numbers. `api/cases.ts` has its schema. */
export interface CaseContent {
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly messages?: readonly unknown[] | undefined;
  readonly note?: string | null | undefined;
}

export type Cases = ReturnType<typeof createCases>;

/**
 * The test cases of a preset. Each method throws `not_found` if there is no such preset; changes
 * also throw `precondition_failed` if the precondition, which is about the preset, does not hold.
 */
export function createCases(cases: CaseStore, presets: Pick<PresetStore, 'state' | 'change'>, clock: Clock) {
  async function change(request: ChangeRequest, name: string, rule: CaseRule): Promise<Preset> {
    const { address, actor } = changeOf(request, 'write', clock);
    const changed = await presets.change(
      address,
      actor,
      (current, found) => {
        if (current === undefined) throw unknownPreset(address.slug);
        assertPrecondition(current, request.precondition);
        return rule(current, found, clock());
      },
      undefined,
      [name],
    );
    if (changed === undefined) throw unknownPreset(address.slug);
    return changed.preset;
  }

  return {
    /** Sorted by name. Streams the cases: a page of them can be many megabytes. */
    async list(
      request: PresetRequest,
      page: Page,
    ): Promise<{ readonly cases: AsyncGenerator<PresetCase>; readonly totalCount: number }> {
      const { id } = await requirePreset(presets, request);
      const current = (await cases.current([id])).get(id) ?? [];
      return { cases: streamCases(cases, id, current, page), totalCount: current.length };
    },

    /** As it was at an event, or is now. Throws `not_found` if there is no such case. */
    async get(request: PresetRequest, name: string, eventNumber?: number): Promise<PresetCase> {
      assertCaseName(name);
      const { id, slug } = await requirePreset(presets, request);
      return (await cases.find(id, name, eventNumber)) ?? raise(unknownCase(slug, name));
    },

    /** Creates, replaces or renames a case. Throws `conflict` if another case has the new name. */
    async save(
      request: ChangeRequest,
      name: string,
      content: CaseContent,
      newName = name,
    ): Promise<{ readonly preset: Preset; readonly saved: PresetCase }> {
      assertCaseName(name);
      assertCaseName(newName);
      const preset = await change(request, name, saveCase(name, newName, toContentJson(content)));
      const saved = await cases.find(preset.id, newName, preset.revision);
      if (saved === undefined) throw new Error('the case that was just saved is missing');
      return { preset, saved };
    },

    /** Throws `not_found` if there is no such case. */
    remove(request: ChangeRequest, name: string): Promise<Preset> {
      assertCaseName(name);
      return change(request, name, removeCase(name));
    },
  };
}

/** Streams a page of these cases as they were, even if they are changed or removed meanwhile. */
export function streamCases(
  cases: Pick<CaseStore, 'read'>,
  presetId: string,
  references: readonly CaseReference[],
  page?: Page,
): AsyncGenerator<PresetCase> {
  return streamBatches(
    ({ offset, limit }) => cases.read(presetId, references.slice(offset, offset + limit)),
    references.length,
    page,
  );
}

/**
 * The text that is stored, with all fields in a fixed order, so that equal cases have equal texts.
 * Throws if it cannot be stored or is too large.
 */
export function toContentJson({ variables = {}, messages = [], note = null }: CaseContent): string {
  const content = { variables, messages, note };
  const json = JSON.stringify(content);
  assertNoIssues(findTextIssues(content, json));
  const bytes = Buffer.byteLength(json);
  if (bytes <= caseBytesMax) return json;
  throw new PresetdError(
    'too_large',
    `The case has ${bytes} bytes; a case can have at most ${caseBytesMax}.`,
  );
}
