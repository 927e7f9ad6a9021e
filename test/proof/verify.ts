import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Entry, Journal } from './journal.ts';
import { type Operation, type PresetdObject, renamedSlug } from './operation.ts';
import {
  afterEvent,
  aliasesOnWire,
  casesOnWire,
  eventsOf,
  hasContent,
  labelsOnWire,
  type PresetModel,
  presetText,
  responseTo,
} from './preset-model.ts';
import type { Target } from './writers.ts';

export interface Verifier {
  /**
   * Throws unless the server has exactly what the journal says. Checks only what was written since
   * the last call. Writers must be stopped.
   */
  verify(): Promise<Verified>;
}

export interface Verified {
  readonly presets: number;
  readonly versions: number;
  readonly events: number;
  /** Changes that were made but never acknowledged. */
  readonly unacknowledged: number;
}

/**
 * Compares the server with the journal, event by event.
 *
 * The events of a preset are numbered without gaps, and the ETag of a response contains the number
 * of the last event at that time. The verifier replays the events of each preset and checks that:
 *
 * - a recorded request explains every event;
 * - the events of an acknowledged request have the numbers that its response says;
 * - that response equals, byte for byte, the preset after those events.
 *
 * A request without a response may explain one event, if no acknowledged request does.
 *
 * Drafts have no events. The verifier checks that the stored one is the last acknowledged one, or
 * one whose request got no response.
 */
export function createVerifier(target: Target, journal: Journal, { settleMs = 60_000 } = {}): Verifier {
  const presets = new Map<string, TrackedPreset>();
  return {
    async verify() {
      if (journal.unexpectedResponses.length > 0)
        throw new Error(`unexpected responses:\n${journal.unexpectedResponses.join('\n')}`);
      for (const slug of journal.slugs()) {
        const preset = presets.get(slug) ?? new TrackedPreset(target, journal, slug, settleMs);
        presets.set(slug, preset);
        await preset.verifyNewEvents();
      }
      const tracked = [...presets.values()];
      const sum = (count: (preset: TrackedPreset) => number) =>
        tracked.reduce((all, each) => all + count(each), 0);
      return {
        presets: tracked.filter((preset) => preset.revision > 0).length,
        versions: sum((preset) => preset.versions),
        events: sum((preset) => preset.revision),
        unacknowledged: sum((preset) => preset.unacknowledged),
      };
    },
  };
}

/** Verifies the whole journal from the first event, and that the audit log has the same events. */
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

/** A version as the versions endpoint returns it. */
interface StoredVersion {
  readonly id: string;
  /** Its JSON as it appears in the response to a create. */
  readonly text: string;
  readonly dialect: string;
  readonly configText: string;
  readonly prompt: string | null;
  readonly extensionText: string;
}

class TrackedPreset {
  readonly #target: Target;
  readonly #journal: Journal;
  readonly #slug: string;
  /** How long to wait for unacknowledged changes in flight, and for all processes to see them. */
  readonly #settleMs: number;
  #model: PresetModel | undefined;
  readonly #stored = new Map<number, StoredVersion>();
  /** The JSON of test cases by the number of the event that saved them. */
  readonly #storedCases = new Map<number, string>();
  /** The acknowledged draft of the highest revision, and the texts of those without a response. */
  #draft: { readonly revision: number; readonly text: string } | undefined;
  readonly #unresolvedDrafts = new Set<string>();
  /** The number of journal entries that are in the next two collections. */
  #entriesRead = 0;
  /** Acknowledged entries by the revision in their response. */
  readonly #acknowledged = new Map<number, Entry[]>();
  /** Entries without a response that do not explain an event yet. */
  readonly #unresolved = new Set<Entry>();
  unacknowledged = 0;

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

  async verifyNewEvents(): Promise<void> {
    this.#sortEntries();
    const { current, events } = await this.#read();
    if (current !== undefined) {
      this.#model ??= emptyPreset(this.#slug, current.text);
      // Requests that changed nothing got a response with the state of the last verification.
      this.#checkResponses(this.#model);
      await this.#readVersions(events);
      await this.#readCases(events);
      for (let next = 0; next < events.length; ) next += this.#replayChange(events.slice(next));
      this.#expect(this.#textAt(this.#model), current.text, 'the preset does not match its events');
      await this.#expectLabels(this.#model);
      await this.#expectAliases(this.#model, current.text);
      await this.#expectTags(this.#model);
      await this.#expectCases(this.#model);
    }
    await this.#expectDraft();
    const [lost] = this.#acknowledged.values();
    if (lost !== undefined) this.#fail(`${lost.length} acknowledged changes are missing, such as`, lost[0]);
  }

  /** Replays the events of the next change and checks the responses to it. Returns their number. */
  #replayChange(events: readonly WireEvent[]): number {
    const before = this.#model as PresetModel;
    const cause = this.#causeOf(before, events);
    if (cause === undefined) return this.#fail('no request explains the event', events[0]);
    const caused = events.slice(0, eventsOf(before, cause.operation)?.length);
    if (new Set(caused.map((event) => event.created_at)).size !== 1)
      this.#fail('the events of one change have different times', caused);
    const after = caused.reduce(
      (model, event) => afterEvent(model, event, event.created_at, this.#storedCases.get(event.number)),
      before,
    );
    this.#model = after;
    this.#checkResponses(after, cause);
    if (this.#unresolved.delete(cause)) this.unacknowledged += 1;
    return caused.length;
  }

  /**
   * Every request whose response has this revision either caused it or found nothing to change, and
   * its response must match the state.
   */
  #checkResponses(model: PresetModel, cause?: Entry): void {
    for (const entry of this.#acknowledged.get(model.revision) ?? []) {
      if (entry !== cause && eventsOf(model, entry.operation)?.length !== 0)
        this.#fail('an acknowledged change is missing', entry);
      const expected = responseTo(entry.operation, model, this.#designatedText(model));
      // No version of the journal breaks calls. Servers before 0.8.0 return no warnings at all.
      const text = entry.response?.text.replace(/,"warnings":\[\]\}$/, '}');
      this.#expect(expected, text, 'a response does not match the state');
    }
    this.#acknowledged.delete(model.revision);
  }

  /** The request that caused these events, preferably an acknowledged one. */
  #causeOf(model: PresetModel, events: readonly WireEvent[]): Entry | undefined {
    const causes = (entry: Entry, count?: number) => {
      const expected = eventsOf(model, entry.operation) ?? [];
      if (expected.length === 0 || (count ?? expected.length) !== expected.length) return false;
      return (
        expected.every((event, index) => isSameEvent(event, events[index])) &&
        this.#createdVersionMatches(entry.operation, events[0]) &&
        this.#savedCaseMatches(entry.operation, events[0])
      );
    };
    for (let count = 1; count <= eventsPerRequestMax; count += 1) {
      const found = this.#acknowledged.get(model.revision + count)?.find((entry) => causes(entry, count));
      if (found !== undefined) return found;
    }
    return [...this.#unresolved].find((entry) => causes(entry));
  }

  /** Whether the version of this event has exactly the requested content. */
  #createdVersionMatches(operation: Operation, event: WireEvent | undefined): boolean {
    if (operation.kind !== 'create') return true;
    const version = this.#stored.get(Number(event?.after?.version));
    return (
      version?.id === event?.id &&
      version?.dialect === operation.dialect &&
      version.prompt === operation.prompt &&
      version.configText === JSON.stringify(operation.config) &&
      version.extensionText === extensionTextOf(operation.presetd)
    );
  }

  /** Whether the test case of this event has exactly the requested content. */
  #savedCaseMatches(operation: Operation, event: WireEvent | undefined): boolean {
    if (operation.kind !== 'save-case') return true;
    const stored = this.#storedCases.get(event?.number ?? 0);
    return stored !== undefined && hasContent(stored, operation.content);
  }

  #sortEntries(): void {
    const all = this.#journal.entries(this.#slug, this.#entriesRead);
    this.#entriesRead += all.length;
    const entries = all.filter((entry) => !this.#isDraft(entry));
    for (const entry of entries) {
      if (entry.response === undefined) this.#unresolved.add(entry);
      else {
        const { revision } = entry.response;
        this.#acknowledged.set(revision, [...(this.#acknowledged.get(revision) ?? []), entry]);
      }
    }
    const misplaced = findOutOfOrder(entries);
    if (misplaced !== undefined)
      this.#fail('a request acknowledged earlier has a higher revision than', misplaced);
  }

  /** Notes the entry if it is about a draft, whose revisions are not those of the preset. */
  #isDraft({ operation, response }: Entry): boolean {
    if (operation.kind !== 'save-draft') return false;
    const { text } = operation;
    if (response === undefined) this.#unresolvedDrafts.add(text);
    else if (response.revision > (this.#draft?.revision ?? 0))
      this.#draft = { revision: response.revision, text };
    return true;
  }

  /**
   * Reads the preset and its new events, oldest first. Retries until both agree, because
   * unacknowledged changes may be in flight and another process may not have seen the last change.
   */
  async #read(): Promise<{ current: Read | undefined; events: readonly WireEvent[] }> {
    const path = `/api/v1/presets/${this.#slug}`;
    const deadline = performance.now() + this.#settleMs;
    for (;;) {
      const current = await get(this.#target, path);
      if (current.status === 404) return { current: undefined, events: [] };
      const { events, count } = await this.#readEvents();
      const isComplete = events.every((event, index) => event.number === this.revision + index + 1);
      if (isComplete && count === this.revision + events.length && current.etag.endsWith(`.${count}"`))
        return { current, events };
      if (performance.now() > deadline)
        this.#fail(`expected events ${this.revision + 1} to ${count}`, { etag: current.etag, events });
      await delay(50);
    }
  }

  async #readEvents(): Promise<{ events: readonly WireEvent[]; count: number }> {
    const newestFirst: WireEvent[] = [];
    for (;;) {
      const page = `limit=100&offset=${newestFirst.length}`;
      const { text } = await get(this.#target, `/api/v1/presets/${this.#slug}/events?${page}`);
      const { data, total_count } = JSON.parse(text) as { data: WireEvent[]; total_count: number };
      newestFirst.push(...data.filter((event) => event.number > this.revision));
      const last = data.at(-1);
      if (last === undefined || last.number <= this.revision + 1)
        return { events: newestFirst.reverse(), count: total_count };
    }
  }

  /** Reads the new versions one by one, and checks that none exists after the last. */
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
      if (status !== 200) this.#fail(`version ${number} of ${last} is missing`, { status, text });
      this.#stored.set(number, storedVersion(text));
    }
    const { text } = await get(this.#target, `${path}?limit=1`);
    const { total_count } = JSON.parse(text) as { total_count: number };
    const { status } = await get(this.#target, `${path}/${last + 1}`);
    if (total_count !== last || status !== 404)
      this.#fail(`unexpected versions after ${last}`, { total_count, status });
  }

  /** Reads each test case as it was right after the event that saved it. */
  async #readCases(events: readonly WireEvent[]): Promise<void> {
    for (const { kind, number, after } of events) {
      if (kind !== 'preset.case_saved') continue;
      const name = encodeURIComponent(String(after?.case));
      const path = `/api/v1/presets/${this.#slug}/cases/${name}?at=${number}`;
      const { status, text } = await get(this.#target, path);
      if (status !== 200) this.#fail(`the test case of event ${number} is missing`, { status, text });
      this.#storedCases.set(number, text.slice('{"data":'.length, -1));
    }
  }

  async #expectLabels(model: PresetModel): Promise<void> {
    const { text } = await get(this.#target, `/api/v1/presets/${this.#slug}/labels`);
    const data = labelsOnWire(model);
    this.#expect(
      JSON.stringify({ data, total_count: data.length }),
      text,
      'the labels do not match the events',
    );
  }

  /** Also reads the preset by its slug and each alias. */
  async #expectAliases(model: PresetModel, text: string): Promise<void> {
    const aliases = await get(this.#target, `/api/v1/presets/${this.#slug}/aliases`);
    const data = aliasesOnWire(model);
    // Servers of 0.6.0 have no aliases.
    if (aliases.status === 404 && data.length === 0) return;
    const expected = JSON.stringify({ data, total_count: data.length });
    this.#expect(expected, aliases.text, 'the aliases do not match the events');
    for (const name of [model.slug, ...model.aliases.keys()]) {
      const named = await get(this.#target, `/api/v1/presets/${name}`);
      this.#expect(text, named.text, `"${name}" does not name the preset`);
    }
  }

  async #expectTags({ tags }: PresetModel): Promise<void> {
    if (tags === undefined) return;
    const { text } = await get(this.#target, `/api/v1/presets/${this.#slug}/tags`);
    const expected = JSON.stringify({ data: tags, total_count: tags.length });
    this.#expect(expected, text, 'the tags do not match the events');
  }

  async #expectCases(model: PresetModel): Promise<void> {
    const { status, text } = await get(this.#target, `/api/v1/presets/${this.#slug}/cases?limit=100`);
    // Servers of 0.6.0 have no test cases.
    if (status === 404 && model.cases.size === 0) return;
    this.#expect(casesOnWire(model), text, 'the test cases do not match the events');
  }

  async #expectDraft(): Promise<void> {
    if (this.#draft === undefined && this.#unresolvedDrafts.size === 0) return;
    const found = await get(this.#target, `/api/v1/presets/${this.#slug}/draft`);
    if (found.status === 404) {
      if (this.#draft !== undefined) this.#fail('an acknowledged draft is missing', this.#draft);
      return;
    }
    const revision = Number(/\.(\d+)"$/.exec(found.etag)?.[1]);
    const { text } = (JSON.parse(found.text) as { data: { text: string } }).data;
    const isKnown =
      (revision === this.#draft?.revision && text === this.#draft.text) ||
      (revision > (this.#draft?.revision ?? 0) && this.#unresolvedDrafts.has(text));
    if (!isKnown) this.#fail('the draft is not the last one', { acknowledged: this.#draft, revision, text });
  }

  #textAt(model: PresetModel): string {
    return presetText(model, this.#designatedText(model));
  }

  #designatedText({ designatedVersion }: PresetModel): string {
    return (
      this.#stored.get(designatedVersion)?.text ??
      this.#fail('the designated version is missing', designatedVersion)
    );
  }

  #expect(expected: string, found: string | undefined, message: string): void {
    if (expected !== found) this.#fail(message, { expected, found });
  }

  #fail(message: string, details: unknown): never {
    throw new Error(
      `${this.#slug}, at revision ${this.revision}: ${message} ${JSON.stringify(details, null, 2)}`,
    );
  }
}

const eventsPerRequestMax = 4;

/** Throws unless the audit log has every event of every preset in the journal exactly once. */
async function verifyAudit(target: Target, journal: Journal): Promise<void> {
  const slugs = new Set(journal.slugs().flatMap((slug) => [slug, renamedSlug(slug)]));
  const ids = new Set<string>();
  let events = 0;
  for (let cursor = ''; ; ) {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { text } = await get(target, `/api/v1/audit?kind=preset&limit=100${page}`);
    const { data, next_cursor } = JSON.parse(text) as {
      data: { id: string; subject: string }[];
      next_cursor: string | null;
    };
    for (const { id, subject } of data) {
      if (!slugs.has(subject)) continue;
      ids.add(id);
      events += 1;
    }
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  const expected = await Promise.all(
    journal.slugs().map(async (slug) => {
      const { status, text } = await get(target, `/api/v1/presets/${slug}/events?limit=1`);
      return status === 404 ? 0 : (JSON.parse(text) as { total_count: number }).total_count;
    }),
  );
  const total = expected.reduce((sum, count) => sum + count, 0);
  if (events !== total || ids.size !== total)
    throw new Error(`the audit log has ${events} entries for ${ids.size} events, but presets have ${total}`);
}

interface Read {
  readonly status: number;
  readonly etag: string;
  readonly text: string;
}

/** A server may still be reconnecting to its database after a fault. */
const unavailableMs = 20_000;

/** Retries while the server says that it is unavailable. */
async function get({ url, key }: Target, path: string): Promise<Read> {
  const deadline = performance.now() + unavailableMs;
  for (;;) {
    const response = await fetch(`${url()}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const { status, headers } = response;
    const text = await response.text();
    if (status === 200 || status === 404) return { status, etag: headers.get('etag') ?? '', text };
    if (status !== 503 || performance.now() > deadline)
      throw new Error(`${path} returned ${status}: ${text}`);
    await delay(100);
  }
}

/** The preset before its first event: only the fields that never change have their value. */
function emptyPreset(slug: string, text: string): PresetModel {
  const { data } = JSON.parse(text) as { data: Readonly<Record<string, string>> };
  const { id = '', creator_user_id = '', workspace_id = '', created_at = '' } = data;
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
    aliases: new Map(),
    tags: undefined,
    cases: new Map(),
    revision: 0,
  };
}

/** The versions endpoint adds fields at the end that the response to a create does not have. */
function storedVersion(text: string): StoredVersion {
  const [end, dialect = '', extensionText = 'null'] =
    /,"dialect":"([a-z-]+)","creator_email":(?:null|"[^"]*")(?:,"presetd":(.*))?\}\}$/.exec(text) ?? [];
  if (end === undefined) throw new Error(`not a version: ${text.slice(0, 1_000)}`);
  const inner = `${text.slice('{"data":'.length, -end.length)}}`;
  const { id, system_prompt } = JSON.parse(inner) as { id: string; system_prompt: string | null };
  const configText = inner.slice(
    inner.indexOf('"config":') + '"config":'.length,
    inner.indexOf(',"system_prompt":'),
  );
  return { id, text: inner, dialect, configText, prompt: system_prompt, extensionText };
}

/** The `presetd` object of a version that was created with this one. */
function extensionTextOf({ designate: _designate, ...saved }: PresetdObject = {}): string {
  return Object.keys(saved).length === 0 ? 'null' : JSON.stringify(saved);
}

function isSameEvent(expected: object, found: WireEvent | undefined): boolean {
  if (found === undefined) return false;
  const { kind, before, after } = found;
  return isDeepStrictEqual(expected, { kind, before, after });
}

/** Finds an entry that was sent after a response with a higher revision had arrived. */
function findOutOfOrder(entries: readonly Entry[]): Entry | undefined {
  const acknowledged = entries.filter((entry) => entry.response !== undefined);
  const bySending = [...acknowledged].sort((a, b) => a.sentAt - b.sentAt);
  const byResponse = [...acknowledged].sort((a, b) => (a.response?.at ?? 0) - (b.response?.at ?? 0));
  let arrived = 0;
  let highest = 0;
  return bySending.find(({ sentAt, response }) => {
    for (; (byResponse[arrived]?.response?.at ?? sentAt) < sentAt; arrived += 1)
      highest = Math.max(highest, byResponse[arrived]?.response?.revision ?? 0);
    return (response?.revision ?? 0) < highest;
  });
}
