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
  readonly slug?: string;
  readonly description?: string | null;
}

export const enable = patch({ status: 'active' }, 'Preset enabled');

export const disable = { ...patch({ status: 'disabled' }, 'Preset disabled'), undo: enable };

export const restore = final('Preset restored', (api, target) =>
  api.call('POST /presets/:slug/restore', target),
);

export const archive: PresetAction = {
  change: (api, target) => api.call('DELETE /presets/:slug', target),
  message: 'Preset archived',
  undo: restore,
};

/** `before` has the old values of exactly the fields in `changed`. */
export function edit(changed: PresetTexts, before: PresetTexts): PresetAction {
  if (changed.slug === undefined || before.slug === undefined)
    return { ...patch(changed, 'Changes saved'), undo: patch(before, 'Changes undone') };
  // Renaming back leaves the new slug as an alias: someone may already call it.
  return {
    ...patch(changed, `Changed the slug to ${changed.slug}; ${before.slug} is now an alias`),
    undo: patch(before, `Changed the slug back to ${before.slug}; ${changed.slug} is now an alias`),
  };
}

export function addAlias(alias: string): PresetAction {
  return { ...putAlias(alias, `Added alias ${alias}`), undo: deleteAlias(alias) };
}

export function removeAlias(alias: string): PresetAction {
  return { ...deleteAlias(alias), undo: putAlias(alias, `Restored alias ${alias}`) };
}

export function addTag(tag: string): PresetAction {
  return { ...insertTag(tag, `Added tag ${tag}`), undo: deleteTag(tag) };
}

export function removeTag(tag: string): PresetAction {
  return { ...deleteTag(tag), undo: insertTag(tag, `Restored tag ${tag}`) };
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
  return final(message, patchPreset(body));
}

function putLabel(label: string, version: number, message: string): PresetAction {
  return final(message, (api, { params, ...target }) =>
    api.call('PUT /presets/:slug/labels/:label', {
      ...target,
      params: { ...params, label },
      body: { version },
    }),
  );
}

function deleteLabel(label: string): PresetAction {
  return final(`Removed label ${label}`, (api, { params, ...target }) =>
    api.call('DELETE /presets/:slug/labels/:label', { ...target, params: { ...params, label } }),
  );
}

function putAlias(alias: string, message: string): PresetAction {
  return final(message, (api, { params, ...target }) =>
    api.call('PUT /presets/:slug/aliases/:alias', { ...target, params: { ...params, alias } }),
  );
}

function deleteAlias(alias: string): PresetAction {
  return final(`Removed alias ${alias}`, (api, { params, ...target }) =>
    api.call('DELETE /presets/:slug/aliases/:alias', { ...target, params: { ...params, alias } }),
  );
}

function insertTag(tag: string, message: string): PresetAction {
  return changeTags((tags) => [...new Set([...tags, tag])], message);
}

function deleteTag(tag: string): PresetAction {
  return changeTags((tags) => tags.filter((other) => other !== tag), `Removed tag ${tag}`);
}

/**
 * The API sets all tags at once, so this reads them first and sends their ETag in place of the one
 * on screen. Tags that someone else has added meanwhile stay.
 */
function changeTags(next: (tags: readonly string[]) => string[], message: string): PresetAction {
  return final(message, async (api, { headers: _shown, ...target }) => {
    const { content, headers } = await api.call('GET /presets/:slug/tags', target);
    const read = { 'if-match': headers.get('etag') ?? '*' };
    return patchPreset({ tags: next(content.data) })(api, { ...target, headers: read });
  });
}

/** Without an inverse; the actions above add theirs. */
function final(message: string, change: PresetChange): PresetAction {
  return { change, message, undo: undefined };
}

interface Typed {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
}

/** The edited fields with their new and old values; an empty description becomes null. */
export function changedTexts(
  preset: Pick<Preset, 'name' | 'slug' | 'description'>,
  typed: Typed,
): { readonly changed: PresetTexts; readonly before: PresetTexts } {
  const next = { ...typed, description: typed.description === '' ? null : typed.description };
  const isNamed = next.name !== preset.name;
  const isMoved = next.slug !== preset.slug;
  const isDescribed = next.description !== (preset.description || null);
  const pick = ({ name, slug, description }: typeof next): PresetTexts => ({
    ...(isNamed && { name }),
    ...(isMoved && { slug }),
    ...(isDescribed && { description }),
  });
  return { changed: pick(next), before: pick(preset) };
}
