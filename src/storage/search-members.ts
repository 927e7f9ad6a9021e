import type { Member, MemberPage, Page } from '../core/organization.ts';
import { wordsOf } from '../core/words.ts';
import { type WalkSteps, walkForPage } from './walk-list.ts';
import { countedHitsMax, type WordHits } from './word-index.ts';

/** A place in the order of joining. */
export interface JoinPosition {
  readonly id: string;
  readonly joined_at: string;
}

/** Before every place, on both engines: PostgreSQL's earliest time, and as text it sorts before every digit. */
export const listStart: JoinPosition = { joined_at: '-infinity', id: '' };

export interface SearchableFields {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

export interface SearchableMember extends SearchableFields, JoinPosition {}

type MaybePromise<T> = Promise<T> | T;

/** What an engine reads for a search in one organization. A part is the same number of members wherever it begins. */
export interface MemberSearchReads {
  /** Whether all members are indexed. Undefined when there is no such organization. */
  isIndexed(): MaybePromise<boolean | undefined>;
  /** The rarest word first. */
  countWords(words: readonly string[]): MaybePromise<readonly WordHits[]>;
  /** All members with these words, the first of which is rare, in the order of joining. */
  lookUp(rarest: string, others: readonly string[]): MaybePromise<readonly JoinPosition[]>;
  /** Those of the part after this place that have these words, in order, and no more than this many. */
  walk(
    after: JoinPosition,
    rarest: string,
    others: readonly string[],
    limit: number,
  ): MaybePromise<readonly JoinPosition[]>;
  /** The part after this place, indexed or not. */
  readChunk(after: JoinPosition): MaybePromise<readonly SearchableMember[]>;
  /** Where the part after this place ends; undefined when it is the last. */
  chunkEnd(after: JoinPosition): MaybePromise<JoinPosition | undefined>;
  /** In the order of the ids, without those who left meanwhile. */
  get(ids: readonly string[]): MaybePromise<readonly Member[]>;
}

/**
 * A page of the members who have a word that begins with each of these words, in the order of joining. Rare words are
 * looked up in the index and counted; common ones are met on a walk, which stops counting after the page. Undefined when
 * there is no such organization.
 */
export async function searchMembers(
  reads: MemberSearchReads,
  words: readonly string[],
  page: Page,
  startIndexer: () => void,
): Promise<MemberPage | undefined> {
  const isIndexed = await reads.isIndexed();
  if (isIndexed === undefined) return undefined;
  if (words.length === 0) return { members: [], totalCount: 0 };
  if (!isIndexed) startIndexer();
  const { ids, totalCount } = await (isIndexed ? searchIndex : searchByComparing)(reads, words, page);
  return { members: ids.length === 0 ? [] : await reads.get(ids), totalCount };
}

async function searchIndex(reads: MemberSearchReads, words: readonly string[], page: Page) {
  const [rarest, ...others] = await reads.countWords(words);
  if (rarest === undefined || rarest.hits === 0) return { ids: [], totalCount: 0 };
  const terms = [rarest.word, others.map(({ word }) => word)] as const;
  if (rarest.hits > countedHitsMax)
    return walkForPage(
      walkSteps(reads, (after, limit) => reads.walk(after, ...terms, limit)),
      page,
    );
  const found = await reads.lookUp(...terms);
  const shown = found.slice(page.offset, page.offset + page.limit);
  return { ids: shown.map(({ id }) => id), totalCount: found.length };
}

/** Compares the names and addresses themselves: slower, but right while the index is being built. */
function searchByComparing(reads: MemberSearchReads, words: readonly string[], page: Page) {
  const steps = walkSteps(reads, async (after, limit) =>
    (await reads.readChunk(after))
      .filter((fields) => hasAllPrefixes(wordsOfMember(fields), words))
      .slice(0, limit),
  );
  return walkForPage(steps, page);
}

function walkSteps(
  reads: MemberSearchReads,
  matches: (after: JoinPosition, limit: number) => MaybePromise<readonly JoinPosition[]>,
): WalkSteps<JoinPosition> {
  return {
    matches: async (after = listStart, limit) => matches(after, limit),
    chunkEnd: (after = listStart) => reads.chunkEnd(after),
  };
}

function hasAllPrefixes(words: readonly string[], terms: readonly string[]): boolean {
  return terms.every((prefix) => words.some((word) => word.startsWith(prefix)));
}

export function wordsOfMember({ email, first_name, last_name }: SearchableFields): readonly string[] {
  return wordsOf(first_name, last_name, email);
}

/** An address need not have a letter, but the trigger for renames expects a row for every indexed member. */
export function indexedWordsOf(fields: SearchableFields): readonly string[] {
  const words = wordsOfMember(fields);
  return words.length === 0 ? [''] : words;
}
