import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { Journal } from './journal.ts';
import type { Operation } from './operation.ts';
import { createVerifier, verifyJournal } from './verify.ts';
import { startWriters, type WriterOptions } from './writers.ts';

/** What the proofs of faults rest on: a server that keeps its word is found to do so, and no other. */

const targetOf = ({ url }: TestServer) => ({ url: () => url, key: managementKey });

async function write(
  server: TestServer,
  journal: Journal,
  changes: number,
  options: WriterOptions,
): Promise<void> {
  const writers = startWriters(targetOf(server), journal, options);
  await journal.untilAnswered(changes);
  await writers.stop();
}

describe.each(engines)('the journal of what was written on %s', (engine) => {
  it('is found kept, piece by piece and from the beginning', async () => {
    const server = await startTestServer(engine);
    const journal = new Journal();
    const verifier = createVerifier(targetOf(server), journal);
    for (const seed of [1, 2]) {
      await write(server, journal, 60, { seed, presets: 4 });
      await verifier.verify();
    }
    const verified = await verifier.verify();
    expect(verified).toMatchObject({ presets: 4, unanswered: 0 });
    expect(verified.events).toBeGreaterThan(100);
    expect(await verifyJournal(targetOf(server), journal)).toEqual(verified);
    await server.stop();
  });
});

describe.runIf(engines.includes('sqlite'))('the journal is found broken by', () => {
  /** What is done behind the product's back to one preset each, whose id is at the question mark, and what is said of it. */
  const faults: Readonly<Record<string, readonly [meddling: string, verdict: RegExp]>> = {
    'a version that has other bytes': [
      `UPDATE preset_versions SET config = config || ' ' WHERE version = 1 AND preset_id = ?`,
      /nobody asked for the event/,
    ],
    'a version that is gone': [
      `DELETE FROM preset_labels WHERE version = 1 AND preset_id = ?;
       UPDATE presets SET designated_version = latest_version WHERE id = ?;
       DELETE FROM preset_versions WHERE version = 1 AND preset_id = ?`,
      /version 1 of \d+ is not there/,
    ],
    'a change that is gone with its event': [
      `DELETE FROM audit_events WHERE preset_id = ? AND number = (SELECT revision FROM presets WHERE id = ?);
       UPDATE presets SET revision = revision - 1 WHERE id = ?`,
      /not there|not as its events tell|versions after/,
    ],
    'an event that is gone': [
      `DELETE FROM audit_events WHERE preset_id = ? AND number = 1`,
      /of \d+ events these are after 0/,
    ],
    'an event without its change': [
      `UPDATE presets SET revision = revision + 1 WHERE id = ?;
       INSERT INTO audit_events
         (id, organization_id, workspace_id, preset_id, number, kind, actor_id, created_at, before, after)
       SELECT '01a1dcf2-bcb6-7425-a21f-000000000000', organization_id, workspace_id, preset_id, number + 1,
         'preset.renamed', actor_id, created_at, '{"name":"a"}', '{"name":"b"}'
       FROM audit_events WHERE preset_id = ? ORDER BY number DESC LIMIT 1`,
      /nobody asked for the event/,
    ],
    'a change without its event': [
      `UPDATE presets SET description = 'Changed' WHERE id = ?`,
      /the preset is not as its events tell/,
    ],
    'a label without its event': [
      `INSERT INTO preset_labels VALUES (?, 'new', 1, '2026-01-01T00:00:00.000Z')`,
      /the labels are not as the events tell/,
    ],
    'nothing, where nothing is wrong': ['SELECT ?', /^kept$/],
  };
  const names = Object.keys(faults);
  let database: TestDatabase;
  let server: TestServer;
  const journal = new Journal();

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    server = await startServerOn(database);
    await write(server, journal, 100, { presets: names.length });
    await server.stop();
    await database.transaction(
      ...['preset_versions_immutable', 'preset_versions_permanent', 'audit_events_permanent'].map(
        (trigger) => `DROP TRIGGER ${trigger}`,
      ),
      ...names.map((name, index) =>
        `${faults[name]?.[0]}`.replaceAll('?', `(SELECT id FROM presets WHERE slug = 'preset-${index}')`),
      ),
    );
    server = await startServerOn(database);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const verdictOn = (judged: Journal) =>
    verifyJournal(targetOf(server), judged, { settleMs: 0 }).then(
      () => 'kept',
      (error: Error) => error.message,
    );

  it.each(names)('%s', async (name) => {
    const ofOne = new Journal();
    for (const entry of journal.entries(`preset-${names.indexOf(name)}`)) ofOne.note(entry);
    expect(ofOne.counts.answered).toBeGreaterThan(2);
    expect(await verdictOn(ofOne)).toMatch(faults[name]?.[1] ?? '');
  });

  it('a version that a request made twice, and not by one that was cut off and came to pass', async () => {
    const operation: Operation = {
      kind: 'create',
      dialect: 'responses',
      config: { model: 'm' },
      prompt: 'Once.',
    };
    const create = () =>
      server.post('/api/v1/presets/once/responses', { instructions: operation.prompt, ...operation.config });
    const cut = new Journal();
    cut.note({ slug: 'once', operation, sentAt: 0, answer: undefined });
    expect(await verdictOn(cut)).toBe('kept');
    await create();
    expect(await verdictOn(cut)).toBe('kept');
    await create();
    expect(await verdictOn(cut)).toMatch(/nobody asked for the event/);
  });

  it('numbers that were given out in another order than the answers', async () => {
    const operation: Operation = { kind: 'edit', changes: { name: 'Later' } };
    const late = new Journal();
    late.note({ slug: 'late', operation, sentAt: 0, answer: { at: 1, text: '', revision: 2 } });
    late.note({ slug: 'late', operation, sentAt: 2, answer: { at: 3, text: '', revision: 1 } });
    expect(await verdictOn(late)).toMatch(/what was answered first is numbered later/);
  });

  it('an answer that nothing explains', async () => {
    const odd = new Journal();
    odd.surprises.push('create of preset-1: answered 401');
    expect(await verdictOn(odd)).toMatch(/unexpected answers/);
  });
});
