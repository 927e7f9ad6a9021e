/** The changes that can be made to a preset, each with its request, confirmation and inverse. */

import type { Input, JsonText } from '../../../../src/api/client.ts';
import type { Preset } from '../../../../src/api/presets.ts';
import type { PresetChange } from '../../api/presets.ts';

export interface PresetAction {
  readonly change: PresetChange;
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
  change: (api, target) => api.call('POST /presets/:slug/restore', target),
  message: 'Preset restored',
  undo: undefined,
};

export const archive: PresetAction = {
  change: (api, target) => api.call('DELETE /presets/:slug', target),
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

/** For a change that has its own messages. */
export function patchPreset(body: PresetEdit): PresetChange {
  return (api, target) => api.call('PATCH /presets/:slug', { ...target, body });
}

type PresetEdit = Exclude<Input<'PATCH /presets/:slug'>['body'], JsonText>;

function patch(body: PresetEdit, message: string): PresetAction {
  return { change: patchPreset(body), message, undo: undefined };
}

function putLabel(label: string, version: number, message: string): PresetAction {
  return {
    change: (api, { params, ...target }) =>
      api.call('PUT /presets/:slug/labels/:label', {
        ...target,
        params: { ...params, label },
        body: { version },
      }),
    message,
    undo: undefined,
  };
}

function deleteLabel(label: string): PresetAction {
  return {
    change: (api, { params, ...target }) =>
      api.call('DELETE /presets/:slug/labels/:label', { ...target, params: { ...params, label } }),
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
