import type { GuideSection } from 'virtual:guide-sections';

interface FoundSection {
  readonly section: GuideSection;
  /** The sentence around the first of the words; empty if they are in the heading alone. */
  readonly snippet: string;
}

/** A word counts where it is read first. */
const [inHeading, inTitle] = [12, 5];
/** A long section that repeats a word is not more about it than that. */
const repetitionsMax = 4;
/** The start of a section says what it is about. */
const [atStart, startLength] = [4, 400];

/** The sections that have all words, best first: in headings, early, close together, often. */
export function searchGuides(sections: readonly GuideSection[], query: string): readonly FoundSection[] {
  const words = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ section }) => ({ section, snippet: snippetOf(section.text, words) }));
}

function scoreOf({ heading, title, text }: GuideSection, words: readonly string[]): number {
  const scores = words.map(
    (word) =>
      inHeading * Math.min(countOf(word, heading), 1) +
      inTitle * Math.min(countOf(word, title), 1) +
      Math.min(countOf(word, text), repetitionsMax) +
      atStart * (countOf(word, text.slice(0, startLength)) > 0 ? 1 - placeOf(word, text) / startLength : 0),
  );
  if (scores.some((score) => score === 0)) return 0;
  const sum = scores.reduce((total, score) => total + score, 0);
  return isPhrase(`${heading} ${text}`, words) ? sum + inHeading : sum;
}

/** At the start of a word: "key" finds "keys" and "OPENAI_API_KEY", but not "monkey". */
function countOf(word: string, text: string): number {
  return [...text.matchAll(startOf(word))].length;
}

function placeOf(word: string, text: string): number {
  return text.search(startOf(word));
}

function startOf(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${RegExp.escape(word)}`, 'giu');
}

/** Next to each other, with at most one short word or name part between. */
function isPhrase(text: string, words: readonly string[]): boolean {
  if (words.length < 2) return false;
  const between = String.raw`[\p{L}\p{N}]*[\s_-]+(?:[\p{L}\p{N}]{1,4}[\s_-]+)?`;
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${words.map((word) => RegExp.escape(word)).join(between)}`,
    'iu',
  ).test(text);
}

const [before, after] = [50, 130];

function snippetOf(text: string, words: readonly string[]): string {
  const at = Math.min(
    ...words.map((word) => text.search(startOf(word))).map((index) => (index < 0 ? Infinity : index)),
  );
  if (at === Number.POSITIVE_INFINITY) return '';
  const start = at <= before ? 0 : text.indexOf(' ', at - before) + 1;
  const end = at + after >= text.length ? text.length : text.lastIndexOf(' ', at + after);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
