import type { PresetChange } from '../api/presets.ts';

/** A change of a preset as it is asked for, what is told once it is done, and the change that takes it back. */
export interface PresetAction {
  readonly request: Omit<PresetChange, 'etag'>;
  readonly told: string;
  readonly undo: PresetAction | undefined;
}

export interface Texts {
  readonly name?: string;
  readonly description?: string | null;
}

export const enable = patch({ status: 'active' }, 'The preset is enabled.');

export const disable = { ...patch({ status: 'disabled' }, 'The preset is disabled.'), undo: enable };

export const restore: PresetAction = {
  request: { method: 'POST', parts: ['restore'] },
  told: 'The preset is restored.',
  undo: undefined,
};

export const archive: PresetAction = {
  request: { method: 'DELETE' },
  told: 'The preset is archived.',
  undo: restore,
};

export function edit(changed: Texts, before: Texts): PresetAction {
  return { ...patch(changed, 'Saved.'), undo: patch(before, 'Taken back.') };
}

/** `from` is undefined where the label is new. */
export function moveLabel(label: string, from: number | undefined, to: number): PresetAction {
  return {
    ...putLabel(label, to),
    told:
      from === undefined
        ? `Label ${label} is on version ${to}.`
        : `Label ${label} moved from version ${from} to version ${to}.`,
    undo: from === undefined ? deleteLabel(label) : putLabel(label, from),
  };
}

export function removeLabel(label: string, from: number): PresetAction {
  return { ...deleteLabel(label), undo: putLabel(label, from) };
}

/** What was before the state that somebody else made is not what can be gone back to. */
export function withoutUndo(action: PresetAction): PresetAction {
  return { ...action, undo: undefined };
}

function patch(body: unknown, told: string): PresetAction {
  return { request: { method: 'PATCH', body }, told, undo: undefined };
}

function putLabel(label: string, version: number): PresetAction {
  return {
    request: { method: 'PUT', parts: ['labels', label], body: { version } },
    told: `Label ${label} is on version ${version} again.`,
    undo: undefined,
  };
}

function deleteLabel(label: string): PresetAction {
  return {
    request: { method: 'DELETE', parts: ['labels', label] },
    told: `Label ${label} is removed.`,
    undo: undefined,
  };
}
