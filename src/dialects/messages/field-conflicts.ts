import type { FieldConflicts } from '../prepared-preset.ts';

/**
 * A request may have only one of `models` and `fallbacks`. `output_format` is the predecessor of
 * the format in `output_config`; like any other field, either replaces the other as a whole.
 */
export const fieldConflicts: FieldConflicts = {
  models: ['fallbacks'],
  fallbacks: ['models'],
  output_config: ['output_format'],
  output_format: ['output_config'],
};
