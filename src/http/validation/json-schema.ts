/**
 * The JSON Schema keywords that our own code reads: the issue collector, the tagged-union rewrite
 * and the OpenAPI document. Ajv understands all others.
 */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  // The next five occur only in the output of `discriminateByTag`.
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  /** The message for any invalid value, when the keywords alone would make a poor one. */
  readonly 'x-must'?: string;
  /** A pattern that is documented but not validated; see `schema-parts.ts`. */
  readonly 'x-pattern'?: string;
}

/** A body whose schema allows null may be omitted. */
export function isOptionalBody({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}
