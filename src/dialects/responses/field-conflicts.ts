import type { FieldConflicts } from '../prepared-preset.ts';

/** No fields of this dialect conflict with each other. */
export const fieldConflicts: FieldConflicts = {};
