import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { distinct, type FieldPath } from '../model/concepts.ts';

/**
 * Finds every field, or part of one, that sets the same in dialect `to` as a field does in dialect
 * `from`, whatever their values. The field itself is always among them.
 */
export function findCounterparts(name: string, from: Dialect, to: Dialect): readonly FieldPath[] {
  const concepts = new Set(
    dialectOf[from].concepts.fields
      .filter(([[field]]) => field === name)
      .flatMap(([, expressed]) => expressed),
  );
  const counterparts = dialectOf[to].concepts.fields.filter(([, expressed]) =>
    expressed.some((each) => concepts.has(each)),
  );
  return [[name], ...counterparts.map(([path]) => path)];
}

/**
 * Finds every field, or part of one, that sets the same as a field of dialect `from`, by the names
 * of all dialects, because an upstream may know more of them than the dialect of a call.
 */
export function findSpellings(name: string, from: Dialect): readonly FieldPath[] {
  return distinct([from, ...dialects].flatMap((to) => findCounterparts(name, from, to)));
}
