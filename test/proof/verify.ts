import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Entry, Journal } from './journal.ts';
import type { Operation } from './operation.ts';
import {
  afterEvent,
  answerTo,
  eventsOf,
  labelsOnWire,
  type PresetModel,
  presetText,
} from './preset-model.ts';
import type { Target } from './writers.ts';

export interface Verifier {
  /**
   * Throws unless what the server has is what the journal promises, and nothing else: since the last time, so that each
   * round costs what it wrote. Nobody may write meanwhile.
   */
  verify(): Promise<Verified>;
}

export interface Verified {
  readonly presets: number;
  readonly versions: number;
  readonly events: number;
  /** Changes of which no answer told. */
  readonly unanswered: number;
}

/**
 * The events of a preset are numbered without gap, and every answer tells by its ETag which was the last then. So each
 * preset is followed from event to event: there must be a request that asked for each, all of an answered request's
 * events must be there at the numbers that its answer told, and its answer must be, byte for byte, the preset as it was
 * after them. Only where no answered request explains an event may one without an answer do so, each once.
 */
export function createVerifier(target: Target, journal: Journal, { settleMs = 60_000 } = {}): Verifier {
  const presets = new Map<string, FollowedPreset>();
  return {
    async verify() {
      if (journal.surprises.length > 0)
        throw new Error(`unexpected answers:\n${journal.surprises.join('\n')}`);
      for (const slug of journal.slugs()) {
        const preset = presets.get(slug) ?? new FollowedPreset(target, journal, slug, settleMs);
        presets.set(slug, preset);
        await preset.follow();
      }
      const followed = [...presets.values()];
      const sum = (count: (preset: FollowedPreset) => number) =>
        followed.reduce((all, each) => all + count(each), 0);
      return {
        presets: followed.filter((preset) => preset.revision > 0).length,
        versions: sum((preset) => preset.versions),
        events: sum((preset) => preset.revision),
        unanswered: sum((preset) => preset.unanswered),
      };
    },
  };
}

/** All of it, from the first event on, and the audit, which tells of the same changes to the organization. */
export async function verifyJournal(
  target: Target,
  journal: Journal,
  options: { readonly settleMs?: number } = {},
): Promise<Verified> {
  const verified = await createVerifier(target, journal, options).verify();
  await verifyAudit(target, journal);
  return verified;
}

interface WireEvent {
  readonly id: string;
  readonly number: number;
  readonly kind: string;
  readonly created_at: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** A version as it is read by itself. */
interface StoredVersion {
  readonly id: string;
  /** Its bytes, as they are part of the answer to a create. */
  readonly text: string;
  readonly dialect: string;
  readonly configText: string;
  readonly prompt: string | null;
}

class FollowedPreset {
  readonly #target: Target;
  readonly #journal: Journal;
  readonly #slug: string;
  /** How long a change that was not answered may still be on its way, or not have come to every process. */
  readonly #settleMs: number;
  #model: PresetModel | undefined;
  readonly #stored = new Map<number, StoredVersion>();
  /** How many entries of the journal are sorted into the next two. */
  #entriesRead = 0;
  readonly #answered = new Map<number, Entry[]>();
  readonly #open = new Set<Entry>();
  unanswered = 0;

  constructor(target: Target, journal: Journal, slug: string, settleMs: number) {
    this.#target = target;
    this.#journal = journal;
    this.#slug = slug;
    this.#settleMs = settleMs;
  }

  get revision(): number {
    return this.#model?.revision ?? 0;
  }

  get versions(): number {
    return this.#model?.latestVersion ?? 0;
  }

  async follow(): Promise<void> {
    this.#sortEntries();
    const { current, events } = await this.#read();
    if (current !== undefined) {
      this.#model ??= unborn(current.text);
      // Who found all as they wanted it was told the state of the last time.
      this.#checkAnswers(this.#model);
      await this.#readVersions(events);
      for (let next = 0; next < events.length; ) next += this.#step(events.slice(next));
      this.#expect(this.#textAt(this.#model), current.text, 'the preset is not as its events tell');
      await this.#expectLabels(this.#model);
    }
    const [lost] = this.#answered.values();
    if (lost !== undefined) this.#fail(`${lost.length} answered changes are not there, such as`, lost[0]);
  }

  /** Takes the events of the next change, checks the answers that tell of them, and says how many they are. */
  #step(events: readonly WireEvent[]): number {
    const before = this.#model as PresetModel;
    const cause = this.#causeOf(before, events);
    if (cause === undefined) return this.#fail('nobody asked for the event', events[0]);
    const made = events.slice(0, eventsOf(before, cause.operation)?.length);
    if (new Set(made.map((event) => event.created_at)).size !== 1)
      this.#fail('one change has several times', made);
    const after = made.reduce((model, event) => afterEvent(model, event, event.created_at), before);
    this.#model = after;
    this.#checkAnswers(after, cause);
    if (this.#open.delete(cause)) this.unanswered += 1;
    return made.length;
  }

  /** Everybody who was told of this state wanted what is there, made it or found it so, and was told just that. */
  #checkAnswers(model: PresetModel, cause?: Entry): void {
    for (const entry of this.#answered.get(model.revision) ?? []) {
      if (entry !== cause && eventsOf(model, entry.operation)?.length !== 0)
        this.#fail('an answered change is not there', entry);
      const told = answerTo(entry.operation, model, this.#designatedText(model));
      this.#expect(told, entry.answer?.text, 'an answer is not what is there');
    }
    this.#answered.delete(model.revision);
  }

  /** Who asked for just these events: somebody who was told so, else somebody who was told nothing. */
  #causeOf(model: PresetModel, events: readonly WireEvent[]): Entry | undefined {
    const makes = (entry: Entry, count?: number) => {
      const wished = eventsOf(model, entry.operation) ?? [];
      if (wished.length === 0 || (count ?? wished.length) !== wished.length) return false;
      return (
        wished.every((event, index) => isSameEvent(event, events[index])) &&
        this.#holds(entry.operation, events[0])
      );
    };
    for (let count = 1; count <= eventsMax; count += 1) {
      const found = this.#answered.get(model.revision + count)?.find((entry) => makes(entry, count));
      if (found !== undefined) return found;
    }
    return [...this.#open].find((entry) => makes(entry));
  }

  /** Whether the version of this event is the one that was asked for, to the last byte. */
  #holds(operation: Operation, event: WireEvent | undefined): boolean {
    if (operation.kind !== 'create') return true;
    const version = this.#stored.get(Number(event?.after?.version));
    return (
      version?.id === event?.id &&
      version?.dialect === operation.dialect &&
      version.prompt === operation.prompt &&
      version.configText === JSON.stringify(operation.config)
    );
  }

  #sortEntries(): void {
    const entries = this.#journal.entries(this.#slug, this.#entriesRead);
    this.#entriesRead += entries.length;
    for (const entry of entries) {
      if (entry.answer === undefined) this.#open.add(entry);
      else {
        const { revision } = entry.answer;
        this.#answered.set(revision, [...(this.#answered.get(revision) ?? []), entry]);
      }
    }
    const misplaced = outOfOrder(entries);
    if (misplaced !== undefined) this.#fail('what was answered first is numbered later than', misplaced);
  }

  /**
   * The preset and its new events, oldest first. A change that was not answered may be on its way still, and another
   * process may not have heard of the last one yet, so it is asked again until both tell of the same.
   */
  async #read(): Promise<{ current: Answer | undefined; events: readonly WireEvent[] }> {
    const path = `/api/v1/presets/${this.#slug}`;
    const deadline = performance.now() + this.#settleMs;
    for (;;) {
      const current = await get(this.#target, path);
      if (current.status === 404) return { current: undefined, events: [] };
      const { events, count } = await this.#readEvents();
      const isWhole = events.every((event, index) => event.number === this.revision + index + 1);
      if (isWhole && count === this.revision + events.length && current.etag.endsWith(`.${count}"`))
        return { current, events };
      if (performance.now() > deadline)
        this.#fail(`of ${count} events these are after ${this.revision}`, { etag: current.etag, events });
      await delay(50);
    }
  }

  async #readEvents(): Promise<{ events: readonly WireEvent[]; count: number }> {
    const newestFirst: WireEvent[] = [];
    for (;;) {
      const page = `limit=100&offset=${newestFirst.length}`;
      const answer = await get(this.#target, `/api/v1/presets/${this.#slug}/events?${page}`);
      const { data, total_count } = JSON.parse(answer.text) as { data: WireEvent[]; total_count: number };
      newestFirst.push(...data.filter((event) => event.number > this.revision));
      const last = data.at(-1);
      if (last === undefined || last.number <= this.revision + 1)
        return { events: newestFirst.reverse(), count: total_count };
    }
  }

  /** One by one; they are 1..n, and there is none after the last. */
  async #readVersions(events: readonly WireEvent[]): Promise<void> {
    const first = this.versions + 1;
    const last =
      this.versions +
      events.filter(
        (event) => event.after?.version !== undefined && event.after.designated_version !== undefined,
      ).length;
    const path = `/api/v1/presets/${this.#slug}/versions`;
    for (let number = first; number <= last; number += 1) {
      const { status, text } = await get(this.#target, `${path}/${number}`);
      if (status !== 200) this.#fail(`version ${number} of ${last} is not there`, { status, text });
      this.#stored.set(number, storedVersion(text));
    }
    const { text } = await get(this.#target, `${path}?limit=1`);
    const { total_count } = JSON.parse(text) as { total_count: number };
    const { status } = await get(this.#target, `${path}/${last + 1}`);
    if (total_count !== last || status !== 404)
      this.#fail(`there are versions after ${last}`, { total_count, status });
  }

  async #expectLabels(model: PresetModel): Promise<void> {
    const { text } = await get(this.#target, `/api/v1/presets/${this.#slug}/labels`);
    const data = labelsOnWire(model);
    this.#expect(
      JSON.stringify({ data, total_count: data.length }),
      text,
      'the labels are not as the events tell',
    );
  }

  #textAt(model: PresetModel): string {
    return presetText(model, this.#designatedText(model));
  }

  #designatedText({ designatedVersion }: PresetModel): string {
    return (
      this.#stored.get(designatedVersion)?.text ??
      this.#fail('a version is designated that is not there', designatedVersion)
    );
  }

  #expect(wanted: string, found: string | undefined, message: string): void {
    if (wanted !== found) this.#fail(message, { wanted, found });
  }

  #fail(message: string, what: unknown): never {
    throw new Error(
      `${this.#slug}, at revision ${this.revision}: ${message} ${JSON.stringify(what, null, 2)}`,
    );
  }
}

/** As many as one request can make. */
const eventsMax = 4;

/** The audit has every event of every preset of the journal once. */
async function verifyAudit(target: Target, journal: Journal): Promise<void> {
  const told = new Map<string, number>();
  let events = 0;
  for (let cursor = ''; ; ) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { text } = await get(target, `/api/v1/audit?kind=preset&limit=100${page}`);
    const { data, next_cursor } = JSON.parse(text) as {
      data: { id: string; subject: string }[];
      next_cursor: string | null;
    };
    for (const { id, subject } of data) {
      if (!journal.slugs().includes(subject)) continue;
      told.set(id, (told.get(id) ?? 0) + 1);
      events += 1;
    }
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  const wanted = await Promise.all(
    journal.slugs().map(async (slug) => {
      const { status, text } = await get(target, `/api/v1/presets/${slug}/events?limit=1`);
      return status === 404 ? 0 : (JSON.parse(text) as { total_count: number }).total_count;
    }),
  );
  const total = wanted.reduce((sum, count) => sum + count, 0);
  if (events !== total || told.size !== total)
    throw new Error(`the audit tells ${events} times of ${told.size} events, and the presets have ${total}`);
}

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

async function get({ url, key }: Target, path: string): Promise<Answer> {
  const response = await fetch(`${url()}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const { status, headers } = response;
  const text = await response.text();
  if (status !== 200 && status !== 404) throw new Error(`${path} is answered ${status}: ${text}`);
  return { status, etag: headers.get('etag') ?? '', text };
}

/** Of its first state a preset still tells what never changes. */
function unborn(text: string): PresetModel {
  const { data } = JSON.parse(text) as { data: Readonly<Record<string, string>> };
  const { id = '', slug = '', creator_user_id = '', workspace_id = '', created_at = '' } = data;
  return {
    id,
    slug,
    creatorUserId: creator_user_id,
    workspaceId: workspace_id,
    createdAt: created_at,
    name: slug,
    description: null,
    status: 'active',
    statusUpdatedAt: null,
    updatedAt: created_at,
    latestVersion: 0,
    designatedVersion: 0,
    labels: new Map(),
    revision: 0,
  };
}

/** Read by itself, a version also tells where it came from, which the answer to a create leaves out. */
function storedVersion(text: string): StoredVersion {
  const [end, dialect = ''] = /,"dialect":"([a-z-]+)","creator_email":(?:null|"[^"]*")\}\}$/.exec(text) ?? [];
  if (end === undefined) throw new Error(`this is no version: ${text}`);
  const inner = `${text.slice('{"data":'.length, -end.length)}}`;
  const { id, system_prompt } = JSON.parse(inner) as { id: string; system_prompt: string | null };
  const configText = inner.slice(
    inner.indexOf('"config":') + '"config":'.length,
    inner.indexOf(',"system_prompt":'),
  );
  return { id, text: inner, dialect, configText, prompt: system_prompt };
}

function isSameEvent(wished: object, found: WireEvent | undefined): boolean {
  if (found === undefined) return false;
  const { kind, before, after } = found;
  return isDeepStrictEqual(wished, { kind, before, after });
}

/** An answered entry that was sent when a later revision had been told already. */
function outOfOrder(entries: readonly Entry[]): Entry | undefined {
  const told = entries.filter((entry) => entry.answer !== undefined);
  const sent = [...told].sort((a, b) => a.sentAt - b.sentAt);
  let answered = 0;
  let highest = 0;
  const byAnswer = [...told].sort((a, b) => (a.answer?.at ?? 0) - (b.answer?.at ?? 0));
  return sent.find(({ sentAt, answer }) => {
    for (; (byAnswer[answered]?.answer?.at ?? sentAt) < sentAt; answered += 1)
      highest = Math.max(highest, byAnswer[answered]?.answer?.revision ?? 0);
    return (answer?.revision ?? 0) < highest;
  });
}
