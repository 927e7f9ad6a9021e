import fc from 'fast-check';
import { anyJson, anyText } from './any-json.ts';

/** Values of the arbitrary with one thing changed at a place of any depth: often something that is no longer allowed. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), change).map(([value, choice, changed]) => {
    const places = placesIn(value);
    return changedAt(value, places[choice % places.length] ?? [], changed);
  });
}

type Place = readonly (string | number)[];
type Change = (value: unknown) => unknown;

/** What a change gives where it takes something away. */
const absent = Symbol('absent');

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant(() => absent),
  anyJson.map((other) => () => other),
  fc.constantFrom<unknown>(null, '', 0, -1, 1e9, true, [], {}, 'x').map((other) => () => other),
  fc.constant((value: unknown) => [value]),
  fc.constant((value: unknown) => ({ value })),
  fc.constant((value: unknown) => JSON.stringify(value)),
  // What cannot be made a text.
  fc.constant(() => ({ toString: null, valueOf: null })),
  fc.tuple(anyText, anyJson).map(
    ([name, other]) =>
      (value: unknown) =>
        isContainer(value) ? withField(value, name, other) : other,
  ),
);

function placesIn(value: unknown, here: Place = []): readonly Place[] {
  if (!isContainer(value)) return [here];
  return [here, ...Object.keys(value).flatMap((name) => placesIn(value[name], [...here, name]))];
}

function changedAt(value: unknown, [name, ...rest]: Place, changed: Change): unknown {
  if (name === undefined) {
    const next = changed(value);
    return next === absent ? null : next;
  }
  if (!isContainer(value)) return value;
  const next = rest.length === 0 ? changed(value[name]) : changedAt(value[name], rest, changed);
  if (next !== absent) return withField(value, String(name), next);
  if (Array.isArray(value)) return value.toSpliced(Number(name), 1);
  return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
}

function withField(value: Record<string, unknown>, name: string, next: unknown): unknown {
  const at = Object.keys(value).indexOf(name);
  if (Array.isArray(value)) return at === -1 ? [...value, next] : value.with(at, next);
  const entries = Object.entries(value);
  return Object.fromEntries(at === -1 ? [...entries, [name, next]] : entries.with(at, [name, next]));
}

/** What has parts; a number that JavaScript cannot hold is none of these. */
function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}

function isRawNumber(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}
