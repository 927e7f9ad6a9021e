import { fixedValues } from '../../core/validation-messages.ts';

/** The JSON Schema keywords that our code reads; `schema-check.ts` has all that restrict values. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly not?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: JsonSchema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  /** The message for any invalid value, when the keywords alone would make a poor one. */
  readonly 'x-must'?: string;
  /** A pattern that is documented but not validated; see `schema-parts.ts`. */
  readonly 'x-pattern'?: string;
}

/** Fields that can tag an object with its form, such as the role of a message. */
export const tagNames = ['type', 'role', 'id'] as const;

/** The values a form fixes for a tag; undefined if it allows any value or has no such field. */
export function tagsOf(form: JsonSchema, name: string): readonly unknown[] | undefined {
  const field = form.properties?.[name];
  return field === undefined ? undefined : fixedValues(field);
}

/** Splits items into those that satisfy the predicate and the rest, each in order. */
export function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
