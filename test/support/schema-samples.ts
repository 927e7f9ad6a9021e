/** The keywords of our schemas that decide which values they allow. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
}

/**
 * A few values that a schema allows, which together have every form that it knows: each
 * alternative, each fixed value, and each optional field at least once.
 */
export function samplesOf(schema: object): readonly unknown[] {
  const { type, const: fixed, enum: values, anyOf }: Schema = schema;
  if (fixed !== undefined) return [fixed];
  if (values !== undefined) return values;
  if (anyOf !== undefined) return anyOf.flatMap(samplesOf);
  const types = typeof type === 'string' ? [type] : (type ?? []);
  return types.flatMap((each) => samplesOfType(each, schema));
}

function samplesOfType(type: string, schema: Schema): readonly unknown[] {
  switch (type) {
    case 'null':
      return [null];
    case 'boolean':
      return [true, false];
    case 'integer':
    case 'number':
      return [Math.max(1, schema.minimum ?? 1)];
    case 'string':
      return ['a'];
    case 'array':
      return samplesOf(schema.items ?? {}).map((item) => [item]);
    default:
      return objectsOf(schema);
  }
}

function objectsOf({ properties = {}, required = [] }: Schema): readonly object[] {
  const entries = Object.entries(properties).map(([name, each]) => ({ name, samples: samplesOf(each) }));
  const minimal = Object.fromEntries(
    entries.filter(({ name }) => required.includes(name)).map(({ name, samples }) => [name, samples[0]]),
  );
  const others = entries.flatMap(({ name, samples }) =>
    samples.slice(required.includes(name) ? 1 : 0).map((sample) => ({ ...minimal, [name]: sample })),
  );
  return [minimal, ...others];
}
