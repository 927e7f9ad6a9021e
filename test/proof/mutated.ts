import fc from 'fast-check';
import { anyJson, anyText } from './any-json.ts';

/** Values with one change at any depth, which often makes them invalid. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), anyChange).map(([value, choice, change]) => {
    const paths = pathsIn(value);
    return changeAt(value, paths[choice % paths.length] ?? [], change);
  });
}

type Path = readonly (string | number)[];
type Change = (value: unknown) => unknown;

/** Returned by a change that removes a value. */
const absent = Symbol('absent');

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.constant(() => absent),
  anyJson.map((other) => () => other),
  fc.constantFrom<unknown>(null, '', 0, -1, 1e9, true, [], {}, 'x').map((other) => () => other),
  fc.constant((value: unknown) => [value]),
  fc.constant((value: unknown) => ({ value })),
  fc.constant((value: unknown) => JSON.stringify(value)),
  // An object that cannot be converted to a string.
  fc.constant(() => ({ toString: null, valueOf: null })),
  fc.tuple(anyText, anyJson).map(
    ([name, other]) =>
      (value: unknown) =>
        isContainer(value) ? withField(value, name, other) : other,
  ),
);

function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (!isContainer(value)) return [path];
  return [path, ...Object.keys(value).flatMap((name) => pathsIn(value[name], [...path, name]))];
}

function changeAt(value: unknown, [name, ...rest]: Path, change: Change): unknown {
  if (name === undefined) {
    const next = change(value);
    return next === absent ? null : next;
  }
  if (!isContainer(value)) return value;
  const next = rest.length === 0 ? change(value[name]) : changeAt(value[name], rest, change);
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

/** Excludes `JSON.rawJSON` objects, which stand for numbers that JavaScript cannot represent. */
function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}

function isRawNumber(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}
