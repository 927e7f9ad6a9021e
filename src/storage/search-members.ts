import type { Member, MemberPage, Page } from '../core/organization.ts';
import { splitWords } from '../core/words.ts';
import { type WalkSteps, walkForPage } from './walk-list.ts';
import { countedHitsMax, type WordHits } from './word-index.ts';

/** A place in the order of joining. */
export interface JoiningPlace {
  readonly id: string;
  readonly joined_at: string;
}

/** Before every place, on both engines: PostgreSQL's earliest time, and as text it sorts before every digit. */
export const firstPlace: JoiningPlace = { joined_at: '-infinity', id: '' };

export interface MemberTexts {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

export interface ListedTexts extends MemberTexts, JoiningPlace {}

type Answer<T> = Promise<T> | T;

/** What an engine reads for a search in one organization. A part is the same number of members wherever it begins. */
export interface MemberSearchReads {
  /** Whether all members are indexed. Undefined when there is no such organization. */
  isIndexed(): Answer<boolean | undefined>;
  /** The rarest word first. */
  countWords(words: readonly string[]): Answer<readonly WordHits[]>;
  /** All members with these words, the first of which is rare, in the order of joining. */
  lookUp(rarest: string, others: readonly string[]): Answer<readonly JoiningPlace[]>;
  /** Those of the part after this place that have these words, in order, and no more than this many. */
  walk(
    after: JoiningPlace,
    rarest: string,
    others: readonly string[],
    limit: number,
  ): Answer<readonly JoiningPlace[]>;
  /** The part after this place, indexed or not. */
  readPart(after: JoiningPlace): Answer<readonly ListedTexts[]>;
  /** Where the part after this place ends; undefined when it is the last. */
  partEnd(after: JoiningPlace): Answer<JoiningPlace | undefined>;
  /** In the order of the ids, without those who left meanwhile. */
  get(ids: readonly string[]): Answer<readonly Member[]>;
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
  startIndexing: () => void,
): Promise<MemberPage | undefined> {
  const isIndexed = await reads.isIndexed();
  if (isIndexed === undefined) return undefined;
  if (words.length === 0) return { members: [], totalCount: 0 };
  if (!isIndexed) startIndexing();
  const { ids, totalCount } = await (isIndexed ? searchIndex : scan)(reads, words, page);
  return { members: ids.length === 0 ? [] : await reads.get(ids), totalCount };
}

async function searchIndex(reads: MemberSearchReads, words: readonly string[], page: Page) {
  const [rarest, ...others] = await reads.countWords(words);
  if (rarest === undefined || rarest.hits === 0) return { ids: [], totalCount: 0 };
  const wanted = [rarest.word, others.map(({ word }) => word)] as const;
  if (rarest.hits > countedHitsMax)
    return walkForPage(
      stepsOf(reads, (after, limit) => reads.walk(after, ...wanted, limit)),
      page,
    );
  const found = await reads.lookUp(...wanted);
  const shown = found.slice(page.offset, page.offset + page.limit);
  return { ids: shown.map(({ id }) => id), totalCount: found.length };
}

/** Compares the names and addresses themselves: slower, but right while the index is being built. */
function scan(reads: MemberSearchReads, words: readonly string[], page: Page) {
  const steps = stepsOf(reads, async (after, limit) =>
    (await reads.readPart(after)).filter((texts) => hasAll(wordsOfMember(texts), words)).slice(0, limit),
  );
  return walkForPage(steps, page);
}

function stepsOf(
  reads: MemberSearchReads,
  matches: (after: JoiningPlace, limit: number) => Answer<readonly JoiningPlace[]>,
): WalkSteps<JoiningPlace> {
  return {
    matches: async (after = firstPlace, limit) => matches(after, limit),
    end: (after = firstPlace) => reads.partEnd(after),
  };
}

function hasAll(words: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((beginning) => words.some((word) => word.startsWith(beginning)));
}

export function wordsOfMember({ email, first_name, last_name }: MemberTexts): readonly string[] {
  return splitWords(first_name, last_name, email);
}

/** An address need not have a letter, but the trigger for renames expects a row for every indexed member. */
export function indexedWordsOf(texts: MemberTexts): readonly string[] {
  const words = wordsOfMember(texts);
  return words.length === 0 ? [''] : words;
}
