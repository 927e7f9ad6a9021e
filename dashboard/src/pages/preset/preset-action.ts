/**
 * The changes that can be made to a preset, as data: the request, its confirmation, and its
 * inverse.
 */

import type { Preset } from '../../../../src/client/preset-answers.ts';
import type { PresetChange } from '../../api/presets.ts';

export interface PresetAction {
  readonly request: Omit<PresetChange, 'etag'>;
  /** Shown in a toast once the change is made. */
  readonly message: string;
  /** Reverts the change; undefined if it cannot be reverted. */
  readonly undo: PresetAction | undefined;
}

interface PresetTexts {
  readonly name?: string;
  readonly description?: string | null;
}

export const enable = patch({ status: 'active' }, 'Preset enabled');

export const disable = { ...patch({ status: 'disabled' }, 'Preset disabled'), undo: enable };

export const restore: PresetAction = {
  request: { method: 'POST', parts: ['restore'] },
  message: 'Preset restored',
  undo: undefined,
};

export const archive: PresetAction = {
  request: { method: 'DELETE' },
  message: 'Preset archived',
  undo: restore,
};

/** `before` has the old values of exactly the fields in `changed`. */
export function edit(changed: PresetTexts, before: PresetTexts): PresetAction {
  return { ...patch(changed, 'Changes saved'), undo: patch(before, 'Changes undone') };
}

/** `from` is the version that has the label now; undefined for a new label. */
export function moveLabel(label: string, from: number | undefined, to: number): PresetAction {
  if (from === undefined)
    return { ...putLabel(label, to, `Added label ${label} to version ${to}`), undo: deleteLabel(label) };
  return {
    ...putLabel(label, to, `Moved label ${label} from version ${from} to version ${to}`),
    undo: putLabel(label, from, `Moved label ${label} back to version ${from}`),
  };
}

export function removeLabel(label: string, from: number): PresetAction {
  return { ...deleteLabel(label), undo: putLabel(label, from, `Restored label ${label} on version ${from}`) };
}

/**
 * For a change that was repeated after a conflict: undoing it would also revert the other person's
 * change.
 */
export function withoutUndo(action: PresetAction): PresetAction {
  return { ...action, undo: undefined };
}

function patch(body: unknown, message: string): PresetAction {
  return { request: { method: 'PATCH', body }, message, undo: undefined };
}

function putLabel(label: string, version: number, message: string): PresetAction {
  return {
    request: { method: 'PUT', parts: ['labels', label], body: { version } },
    message,
    undo: undefined,
  };
}

function deleteLabel(label: string): PresetAction {
  return {
    request: { method: 'DELETE', parts: ['labels', label] },
    message: `Removed label ${label}`,
    undo: undefined,
  };
}

interface Typed {
  readonly name: string;
  readonly description: string;
}

/** The edited fields with their new and old values; an empty description becomes null. */
export function changedTexts(
  preset: Pick<Preset, 'name' | 'description'>,
  typed: Typed,
): { readonly changed: PresetTexts; readonly before: PresetTexts } {
  const next = { name: typed.name, description: typed.description === '' ? null : typed.description };
  const isRenamed = next.name !== preset.name;
  const isDescribed = next.description !== (preset.description || null);
  const pick = ({ name, description }: typeof next): PresetTexts => ({
    ...(isRenamed && { name }),
    ...(isDescribed && { description }),
  });
  return { changed: pick(next), before: pick(preset) };
}
