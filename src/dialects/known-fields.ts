import type { Dialect } from '../core/presets/preset.ts';
import { nearestName } from '../core/text/nearest-name.ts';
import { dialectOf } from './dialects.ts';
import type { FieldKind } from './model/capture-fields.ts';

/**
 * Whether captures save a top-level field, or why not; undefined for a field that the dialect does
 * not know. Names are untrusted and may be `constructor`.
 */
export function fieldKind(name: string, dialect: Dialect): FieldKind | undefined {
  const { fields } = dialectOf[dialect].request;
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function isKnownField(name: string, dialect: Dialect): boolean {
  return fieldKind(name, dialect) !== undefined;
}

/** Names the most similar known field, if any, because most unknown fields are typos. */
export function describeUnknownField(name: string, dialect: Dialect): string {
  const nearest = nearestName(name, Object.keys(dialectOf[dialect].request.fields));
  return `Unknown field, ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}
