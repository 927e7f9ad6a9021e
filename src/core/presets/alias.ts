import { PresetdError } from '../errors.ts';
import { assertSlug } from '../preset-slug.ts';
import type { PresetState } from './preset.ts';

/**
 * Aliases: alternative names for a preset, such as the id it had elsewhere. An alias has the form
 * of a slug, and a workspace has each name once, as a slug or as an alias. Everything that takes a
 * slug takes an alias; responses show the slug.
 */

/** Bounds the list of aliases, which responses return without paging. */
export const aliasesMax = 20;

export function assertAlias(alias: string): void {
  assertSlug(alias, 'alias');
}

/** Every name of a preset: its slug, then its aliases. */
export function namesOf({ slug, aliases }: Pick<PresetState, 'slug' | 'aliases'>): readonly string[] {
  return [slug, ...aliases.keys()];
}

/** The names that a change adds to a preset, without the slug of a new one. */
export function addedNames(current: PresetState | undefined, next: PresetState): readonly string[] {
  const names = current === undefined ? [next.slug] : namesOf(current);
  return namesOf(next).filter((name) => !names.includes(name));
}

export function unknownAlias({ slug, aliases }: PresetState, alias: string): PresetdError {
  const existing = aliases.size === 0 ? 'it has none' : `it has ${[...aliases.keys()].join(', ')}`;
  return new PresetdError('not_found', `The preset "${slug}" has no alias "${alias}"; ${existing}.`);
}

/** `slug` is that of the preset that has the name. */
export function nameTaken(name: string, slug: string): PresetdError {
  return new PresetdError(
    'conflict',
    name === slug
      ? `"${name}" is already the slug of another preset. Choose another name.`
      : `"${name}" is already an alias of the preset "${slug}". Choose another name, or remove that alias first.`,
  );
}
