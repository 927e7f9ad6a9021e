import { type CooperativeTask, createYieldCheck, type YieldCheck } from '../concurrency/cooperative-task.ts';
import { createJsonInterner, isContainer, type JsonInterner } from '../json/json-interner.ts';
import { escapeKey } from '../json/json-pointer.ts';
import { type JsonField, parseExact, splitFields } from '../json/json-text.ts';
import { type AlignmentBudget, alignSequences, createAlignmentBudget } from './align-sequences.ts';

/**
 * Bounds the work for a patch and its length. A node is one value in either document. Paths have a
 * limit besides the one for operations, because a long path is repeated for every change below it.
 */
const limits = { nodes: 60_000, alignmentUnits: 500_000, operations: 2_000, pathCharacters: 200_000 };

interface JsonPatch {
  /** An RFC 6902 patch. It is text because a JavaScript value would round some numbers. */
  readonly json: string;
  /** True if a limit was exceeded and some value is replaced as a whole. */
  readonly isCoarse: boolean;
}

/**
 * Finds a JSON Patch that turns one JSON object into another.
 *
 * It starts by comparing the top-level fields as text and replaces each differing field as a whole.
 * It then refines the patch level by level: the replacement of an object or list becomes the
 * changes inside it, as long as they fit the limits. A huge change therefore stays coarse while
 * small ones beside it are detailed, and the patch is correct wherever refinement stops.
 */
export function* jsonPatchBetween(from: string, to: string): CooperativeTask<JsonPatch> {
  const before = splitFields(from);
  yield;
  const after = splitFields(to);
  yield;
  const compared = yield* compareFields(before, after);
  const isRefined = yield* refine(compared);
  const refined = { ...root, inside: compared.changes };
  return { json: `[${operationsIn(refined, '').join()}]`, isCoarse: compared.isCoarse || !isRefined };
}

/** A patch operation, or the finer operations that replaced it. */
interface Change {
  readonly op: 'add' | 'remove' | 'replace';
  /** The last segment of the path, escaped. */
  readonly token: string;
  readonly pathLength: number;
  readonly before?: unknown;
  readonly value?: unknown;
  /** The value as JSON text, if available. */
  readonly json?: string;
  /** Set once the operation was refined. */
  inside?: readonly Change[];
}

const root: Change = { op: 'replace', token: '', pathLength: 0 };

interface ComparedFields {
  readonly changes: readonly Change[];
  readonly interner: JsonInterner;
  /** True if a field has too many nodes to compare in detail. */
  readonly isCoarse: boolean;
}

/**
 * Compares top-level fields. Fields with equal text are never parsed. The others are parsed
 * smallest first, so that one huge field does not use up the node limit of the small ones.
 */
function* compareFields(
  from: readonly JsonField[],
  to: readonly JsonField[],
): CooperativeTask<ComparedFields> {
  const oldFields = new Map(from.map((field) => [field.key, field]));
  const newKeys = new Set(to.map(({ key }) => key));
  const interner = createJsonInterner();
  const added: Change[] = [];
  const changed: { readonly nodes: number; readonly before: JsonField; readonly after: JsonField }[] = [];
  for (const after of to) {
    const before = oldFields.get(after.key);
    if (before === undefined) added.push(changeIn(root, after.key, { op: 'add', json: after.text }));
    else if (before.text !== after.text) changed.push({ nodes: before.nodes + after.nodes, before, after });
  }
  const replaced: Change[] = [];
  let nodesLeft = limits.nodes;
  for (const { nodes, before, after } of changed.sort((one, other) => one.nodes - other.nodes)) {
    nodesLeft -= nodes;
    if (nodesLeft < 0) replaced.push(changeIn(root, after.key, { op: 'replace', json: after.text }));
    else {
      const oldValue = parseExact(before.text);
      yield* interner.intern(oldValue);
      const value = parseExact(after.text);
      yield* interner.intern(value);
      if (!interner.isEqual(oldValue, value))
        replaced.push(
          changeIn(root, after.key, { op: 'replace', before: oldValue, value, json: after.text }),
        );
    }
  }
  const removed = from
    .filter(({ key }) => !newKeys.has(key))
    .map(({ key }) => changeIn(root, key, { op: 'remove' }));
  return { changes: [...removed, ...added, ...replaced], interner, isCoarse: nodesLeft < 0 };
}

/**
 * Refines changes breadth-first within the limits. Returns false if a limit prevented some of it.
 */
function* refine({ changes, interner }: ComparedFields): CooperativeTask<boolean> {
  const budget: Remaining = {
    operations: limits.operations,
    characters: limits.pathCharacters,
    alignment: createAlignmentBudget(limits.alignmentUnits),
    shouldYield: createYieldCheck(5_000),
  };
  let isRefined = true;
  const queue = changes.filter(isRefinable);
  for (const change of queue) {
    const inside = yield* changesInside(change, interner, budget);
    const characters = inside?.reduce((sum, { pathLength }) => sum + pathLength, 0) ?? 0;
    if (inside === undefined || characters > budget.characters) {
      isRefined = false;
      continue;
    }
    change.inside = inside;
    budget.operations -= inside.length - 1;
    budget.characters -= characters - change.pathLength;
    for (const one of inside) if (isRefinable(one)) queue.push(one);
  }
  return isRefined;
}

/** The rest of the limits, shared by all refinements of one patch. */
interface Remaining {
  operations: number;
  characters: number;
  readonly alignment: AlignmentBudget;
  readonly shouldYield: YieldCheck;
}

/**
 * Only the replacement of an object by an object, or a list by a list, has finer changes inside.
 */
function isRefinable({ op, before, value }: Change): boolean {
  if (op !== 'replace') return false;
  return (isObject(before) && isObject(value)) || (Array.isArray(before) && Array.isArray(value));
}

/** Returns the finer changes with the same effect; undefined if they would exceed a limit. */
function* changesInside(
  change: Change,
  interner: JsonInterner,
  budget: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const { before, value } = change;
  if (Array.isArray(before) && Array.isArray(value))
    return yield* changedItems(change, before, value, interner, budget);
  if (isObject(before) && isObject(value))
    return yield* changedFields(change, before, value, interner, budget);
  return undefined;
}

function* changedFields(
  parent: Change,
  from: JsonObject,
  to: JsonObject,
  interner: JsonInterner,
  budget: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const [removed, added, replaced]: [Change[], Change[], Change[]] = [[], [], []];
  const exceedsLimit = () => removed.length + added.length + replaced.length > budget.operations;
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) removed.push(changeIn(parent, key, { op: 'remove' }));
    else if (!interner.isEqual(from[key], to[key]))
      replaced.push(changeIn(parent, key, { op: 'replace', before: from[key], value: to[key] }));
    if (exceedsLimit()) return undefined;
    if (budget.shouldYield()) yield;
  }
  for (const key of Object.keys(to)) {
    if (!Object.hasOwn(from, key)) added.push(changeIn(parent, key, { op: 'add', value: to[key] }));
    if (exceedsLimit()) return undefined;
    if (budget.shouldYield()) yield;
  }
  return [...removed, ...added, ...replaced];
}

/**
 * Pairs up the items of each gap as replacements, to be refined; the remaining ones are removed or
 * added.
 */
function* changedItems(
  parent: Change,
  from: readonly unknown[],
  to: readonly unknown[],
  interner: JsonInterner,
  budget: Remaining,
): CooperativeTask<readonly Change[] | undefined> {
  const idsOf = (items: readonly unknown[]) => items.map((item) => interner.idOf(item) ?? 0);
  const { gaps, isMinimal } = yield* alignSequences(idsOf(from), idsOf(to), budget.alignment);
  const count = gaps.reduce(
    (sum, gap) => sum + Math.max(gap.fromEnd - gap.fromStart, gap.toEnd - gap.toStart),
    0,
  );
  if (!isMinimal || count > budget.operations) return undefined;
  const changes: Change[] = [];
  for (const { fromStart, fromEnd, toStart, toEnd } of gaps) {
    const paired = Math.min(fromEnd - fromStart, toEnd - toStart);
    // The operations before this gap have already produced the new list up to it, so new indexes
    // apply.
    for (let index = 0; index < paired; index += 1)
      changes.push(
        changeIn(parent, String(toStart + index), {
          op: 'replace',
          before: from[fromStart + index],
          value: to[toStart + index],
        }),
      );
    for (let index = fromStart + paired; index < fromEnd; index += 1)
      changes.push(changeIn(parent, String(toStart + paired), { op: 'remove' }));
    for (let index = toStart + paired; index < toEnd; index += 1)
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
  const token = escapeKey(key);
  return { ...change, token, pathLength: parent.pathLength + 1 + token.length };
}

/** Renders operations as JSON text, because some values were never parsed. */
function operationsIn({ op, value, json, inside }: Change, path: string): readonly string[] {
  if (inside !== undefined) return inside.flatMap((one) => operationsIn(one, `${path}/${one.token}`));
  const start = `{"op":"${op}","path":${JSON.stringify(path)}`;
  return [op === 'remove' ? `${start}}` : `${start},"value":${json ?? JSON.stringify(value)}}`];
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}
