import type { Member, MemberPage } from '../core/organization/organization.ts';
import type { Page } from '../core/page.ts';
import { splitWords } from '../core/words.ts';
import { type WalkSteps, walkForPage } from './walk-list.ts';
import { countedHitsMax, type WordHits } from './word-index.ts';

/** A position in the list of members, which is ordered by joining time, then id. */
export interface JoinPosition {
  readonly id: string;
  readonly joined_at: string;
}

/**
 * Before every position on both engines: PostgreSQL's earliest timestamp, and a text that sorts
 * before every digit in SQLite.
 */
export const listStart: JoinPosition = { joined_at: '-infinity', id: '' };

/** The columns that a search matches. */
export interface SearchableFields {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** A member with their position, for searches without the index. */
export interface SearchableMember extends SearchableFields, JoinPosition {}

/** SQLite answers synchronously, PostgreSQL asynchronously. */
type MaybePromise<T> = Promise<T> | T;

/**
 * The reads of an engine that search one organization. A chunk is a fixed number of members,
 * wherever it starts, so each call takes a bounded time.
 */
export interface MemberSearchReads {
  /** Whether all members are indexed. Undefined when the organization does not exist. */
  isIndexed(): MaybePromise<boolean | undefined>;
  /** Counts the members with each word, rarest first. */
  countWords(words: readonly string[]): MaybePromise<readonly WordHits[]>;
  /**
   * All members with these words, in order of joining. The first word must be rare: its hits are
   * all read.
   */
  lookUp(rarest: string, others: readonly string[]): MaybePromise<readonly JoinPosition[]>;
  /**
   * The members of the chunk after this position that have these words, in order, up to the limit.
   */
  walk(
    after: JoinPosition,
    rarest: string,
    others: readonly string[],
    limit: number,
  ): MaybePromise<readonly JoinPosition[]>;
  /** The chunk after this position, indexed or not. */
  readChunk(after: JoinPosition): MaybePromise<readonly SearchableMember[]>;
  /** The last position of the chunk after this one; undefined when fewer members remain. */
  chunkEnd(after: JoinPosition): MaybePromise<JoinPosition | undefined>;
  /** The members with these ids, in their order, without those who have left in the meantime. */
  get(ids: readonly string[]): MaybePromise<readonly Member[]>;
}

/**
 * Returns a page of the members who have, for each search term, a word that starts with it, in
 * order of joining. Undefined when the organization does not exist.
 *
 * If a term is rare, its hits are read from the index and counted exactly. If all are common, a
 * walk over the list meets matches soon; it stops one match past the page, and the total is a lower
 * bound.
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

/** Compares names and addresses directly: slower, but correct while the index is incomplete. */
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

/** Whether each term starts one of the words. */
function hasAllPrefixes(words: readonly string[], terms: readonly string[]): boolean {
  return terms.every((prefix) => words.some((word) => word.startsWith(prefix)));
}

/** The words that a member is found by. */
export function wordsOfMember({ email, first_name, last_name }: SearchableFields): readonly string[] {
  return splitWords(first_name, last_name, email);
}

/**
 * The words to store for a member, never none: an address may have no letter or digit, but the
 * trigger for renames expects a row for every indexed member.
 */
export function indexedWordsOf(fields: SearchableFields): readonly string[] {
  const words = wordsOfMember(fields);
  return words.length === 0 ? [''] : words;
}
