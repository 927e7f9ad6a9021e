import { PresetdError } from '../errors.ts';

export function duplicateSecret(): PresetdError {
  return new PresetdError('conflict', 'A key with this secret already exists.');
}

export function ambiguousLabel(label: string): PresetdError {
  return new PresetdError(
    'conflict',
    `More than one key has the label ${label}. Use the id of the key instead.`,
  );
}
