import { type AlignmentBudget, alignSequences, createAlignmentBudget } from './align-sequences.ts';
import { type CooperativeTask, createYieldCheck, type YieldCheck } from './cooperative-task.ts';
import { createJsonInterner, isContainer, type JsonInterner } from './json-interner.ts';
import { type JsonField, parseExact, splitFields } from './json-text.ts';

/**
 * The work and the length of one patch. A node is a value of either JSON text. Paths are bounded apart from operations
 * because a long or deep path is repeated for every change below it.
 */
const limits = { nodes: 60_000, alignmentUnits: 500_000, operations: 2_000, pathCharacters: 200_000 };

export interface JsonPatch {
  /** An RFC 6902 patch as text, since it may hold numbers that a value would round. */
  readonly json: string;
  /** Whether something is replaced as a whole because listing what changed inside it would exceed a limit. */
  readonly isCoarse: boolean;
}

/**
 * Finds a JSON Patch that turns the one JSON object into the other.
 *
 * It starts with the fields of both, as text. A field that differs is replaced as a whole at first. That is refined
 * level by level: a changed object or list gives way to the changes inside it, as long as these fit the limits. So a
 * huge change stays coarse while small ones beside it are listed in detail, and the patch is correct wherever refining
 * stops.
 */
export function* jsonPatchBetween(from: string, to: string): CooperativeTask<JsonPatch> {
  const before = splitFields(from);
  yield;
  const after = splitFields(to);
  yield;
  const compared = yield* compareFields(before, after);
  const isRefined = yield* refine(compared);
  const root = { ...everything, inside: compared.changes };
  return { json: `[${operationsIn(root, '').join()}]`, isCoarse: compared.isCoarse || !isRefined };
}

/** An operation, or the several that took its place. */
interface Change {
  readonly op: 'add' | 'remove' | 'replace';
  /** The last part of the path, escaped. */
  readonly token: string;
  readonly pathLength: number;
  readonly before?: unknown;
  readonly value?: unknown;
  /** The value as text, where it is known. */
  readonly json?: string;
  inside?: readonly Change[];
}

const everything: Change = { op: 'replace', token: '', pathLength: 0 };

interface ComparedFields {
  readonly changes: readonly Change[];
  readonly identities: JsonInterner;
  /** Whether a field has too many nodes to look into. */
  readonly isCoarse: boolean;
}

/** Fields with the same text are the same, and never parsed. Of the others, the smallest are looked into first. */
function* compareFields(
  from: readonly JsonField[],
  to: readonly JsonField[],
): CooperativeTask<ComparedFields> {
  const olderKeys = new Map(from.map((field) => [field.key, field]));
  const newerKeys = new Set(to.map(({ key }) => key));
  const identities = createJsonInterner();
  const added: Change[] = [];
  const changed: { readonly nodes: number; readonly before: JsonField; readonly after: JsonField }[] = [];
  for (const after of to) {
    const before = olderKeys.get(after.key);
    if (before === undefined) added.push(changeIn(everything, after.key, { op: 'add', json: after.text }));
    else if (before.text !== after.text) changed.push({ nodes: before.nodes + after.nodes, before, after });
  }
  const replaced: Change[] = [];
  let nodesLeft = limits.nodes;
  for (const { nodes, before, after } of changed.sort((one, other) => one.nodes - other.nodes)) {
    nodesLeft -= nodes;
    if (nodesLeft < 0) replaced.push(changeIn(everything, after.key, { op: 'replace', json: after.text }));
    else {
      const older = parseExact(before.text);
      yield* identities.intern(older);
      const value = parseExact(after.text);
      yield* identities.intern(value);
      if (!identities.isEqual(older, value))
        replaced.push(
          changeIn(everything, after.key, { op: 'replace', before: older, value, json: after.text }),
        );
    }
  }
  const removed = from
    .filter(({ key }) => !newerKeys.has(key))
    .map(({ key }) => changeIn(everything, key, { op: 'remove' }));
  return { changes: [...removed, ...added, ...replaced], identities, isCoarse: nodesLeft < 0 };
}

/** Refines the changes as far as the limits allow, level by level. False when they do not allow all of it. */
function* refine({ changes, identities }: ComparedFields): CooperativeTask<boolean> {
  const left: Remaining = {
    operations: limits.operations,
    characters: limits.pathCharacters,
    alignment: createAlignmentBudget(limits.alignmentUnits),
    isPauseDue: createYieldCheck(5_000),
  };
  let isRefined = true;
  const queue = changes.filter(hasInside);
  for (const change of queue) {
    const inside = yield* changesInside(change, identities, left);
    const characters = inside?.reduce((sum, { pathLength }) => sum + pathLength, 0) ?? 0;
    if (inside === undefined || characters > left.characters) {
      isRefined = false;
      continue;
    }
    change.inside = inside;
    left.operations -= inside.length - 1;
    left.characters -= characters - change.pathLength;
    for (const one of inside) if (hasInside(one)) queue.push(one);
  }
  return isRefined;
}

interface Remaining {
  operations: number;
  characters: number;
  readonly alignment: AlignmentBudget;
  readonly isPauseDue: YieldCheck;
}

function hasInside({ op, before, value }: Change): boolean {
  if (op !== 'replace') return false;
  return (isObject(before) && isObject(value)) || (Array.isArray(before) && Array.isArray(value));
}

/** The changes that together do the same; undefined when there are too many, or too much work to find them. */
function* changesInside(
  change: Change,
  identities: JsonInterner,
  left: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const { before, value } = change;
  if (Array.isArray(before) && Array.isArray(value))
    return yield* changedItems(change, before, value, identities, left);
  if (isObject(before) && isObject(value))
    return yield* changedFields(change, before, value, identities, left);
  return undefined;
}

function* changedFields(
  parent: Change,
  from: JsonObject,
  to: JsonObject,
  identities: JsonInterner,
  left: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const [removed, added, replaced]: [Change[], Change[], Change[]] = [[], [], []];
  const isTooMuch = () => removed.length + added.length + replaced.length > left.operations;
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) removed.push(changeIn(parent, key, { op: 'remove' }));
    else if (!identities.isEqual(from[key], to[key]))
      replaced.push(changeIn(parent, key, { op: 'replace', before: from[key], value: to[key] }));
    if (isTooMuch()) return undefined;
    if (left.isPauseDue()) yield;
  }
  for (const key of Object.keys(to)) {
    if (!Object.hasOwn(from, key)) added.push(changeIn(parent, key, { op: 'add', value: to[key] }));
    if (isTooMuch()) return undefined;
    if (left.isPauseDue()) yield;
  }
  return [...removed, ...added, ...replaced];
}

/** Items that became others in the same place are compared with each other; the rest is removed or added. */
function* changedItems(
  parent: Change,
  from: readonly unknown[],
  to: readonly unknown[],
  identities: JsonInterner,
  left: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const numbers = (items: readonly unknown[]) => items.map((item) => identities.idOf(item) ?? 0);
  const { gaps, isMinimal } = yield* alignSequences(numbers(from), numbers(to), left.alignment);
  const count = gaps.reduce(
    (sum, gap) => sum + Math.max(gap.fromEnd - gap.fromStart, gap.toEnd - gap.toStart),
    0,
  );
  if (!isMinimal || count > left.operations) return undefined;
  const changes: Change[] = [];
  for (const { fromStart, fromEnd, toStart, toEnd } of gaps) {
    const shared = Math.min(fromEnd - fromStart, toEnd - toStart);
    // Everything before this gap is as in the new list already, so its indexes are those of the new list.
    for (let index = 0; index < shared; index += 1)
      changes.push(
        changeIn(parent, String(toStart + index), {
          op: 'replace',
          before: from[fromStart + index],
          value: to[toStart + index],
        }),
      );
    for (let index = fromStart + shared; index < fromEnd; index += 1)
      changes.push(changeIn(parent, String(toStart + shared), { op: 'remove' }));
    for (let index = toStart + shared; index < toEnd; index += 1)
      changes.push(
        changeIn(parent, fromEnd === from.length ? '-' : String(index), { op: 'add', value: to[index] }),
      );
  }
  return changes;
}

function changeIn(
  parent: Change,
  key: string,
  change: Pick<Change, 'op' | 'before' | 'value' | 'json'>,
): Change {
  const token = key.replaceAll('~', '~0').replaceAll('/', '~1');
  return { ...change, token, pathLength: parent.pathLength + 1 + token.length };
}

/** As text, since a part of it may never have been parsed. */
function operationsIn({ op, value, json, inside }: Change, path: string): readonly string[] {
  if (inside !== undefined) return inside.flatMap((one) => operationsIn(one, `${path}/${one.token}`));
  const start = `{"op":"${op}","path":${JSON.stringify(path)}`;
  return [op === 'remove' ? `${start}}` : `${start},"value":${json ?? JSON.stringify(value)}}`];
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}
