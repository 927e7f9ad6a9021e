import { InvalidArgumentError } from 'commander';
import { PresetdError } from '../../core/errors.ts';
import { assertSettableLabel } from '../../core/label.ts';
import { assertSlug } from '../../core/slug.ts';

/** Slugs and labels are checked before they are sent: a URL would swallow ".." together with what stands before it. */
export function parseSlug(text: string): string {
  return checked(text, assertSlug);
}

export function parseLabel(text: string): string {
  return checked(text, assertSettableLabel);
}

function checked(text: string, assert: (text: string) => void): string {
  try {
    assert(text);
    return text;
  } catch (error) {
    if (error instanceof PresetdError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The path of a preset, or of something that belongs to it. */
export function presetPath(slug: string, ...parts: readonly (string | number)[]): string {
  return `/presets/${[slug, ...parts].map((part) => encodeURIComponent(part)).join('/')}`;
}
