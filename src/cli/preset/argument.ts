import { Argument, InvalidArgumentError } from 'commander';
import { PresetdError } from '../../core/errors.ts';
import { assertSettableLabel } from '../../core/presets/label.ts';
import { assertSlug } from '../../core/presets/preset.ts';

/**
 * Arguments of the preset commands. Slugs and labels are validated with the server's own rules
 * before anything is sent: URL normalization would remove "..", together with the segment before
 * it.
 */

export function slugArgument(): Argument {
  return new Argument('<slug>', 'Slug of the preset').argParser((text: string) =>
    validated(text, assertSlug),
  );
}

export function labelArgument(): Argument {
  return new Argument('[label]', 'Label, such as "production"').argParser((text: string) =>
    validated(text, assertSettableLabel),
  );
}

function validated(text: string, assert: (text: string) => void): string {
  try {
    assert(text);
    return text;
  } catch (error) {
    if (error instanceof PresetdError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
