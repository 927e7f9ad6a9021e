/** The keywords that the search for problems understands; the validator knows them all. */
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
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly discriminator?: { readonly propertyName: string };
  readonly additionalProperties?: JsonSchema | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  /** What is said of any value that is not as it should be, in better words than follow from the keywords. */
  readonly 'x-must'?: string;
  /** For the document alone. */
  readonly 'x-pattern'?: string;
}

/** A body whose schema allows null may be left out. */
export function isOptionalBody({ type }: JsonSchema): boolean {
  return Array.isArray(type) && type.includes('null');
}
