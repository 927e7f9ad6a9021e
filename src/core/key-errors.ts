import { PresetdError } from './errors.ts';

export function duplicateSecret(): PresetdError {
  return new PresetdError('conflict', 'A key with this secret exists already.');
}

export function ambiguousLabel(label: string): PresetdError {
  return new PresetdError(
    'conflict',
    `More than one key has the label ${label}. Name the one you mean by its id.`,
  );
}
