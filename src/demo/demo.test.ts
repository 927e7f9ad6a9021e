import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { arrivalOf, type CallRecord } from '../core/ledger/call-record.ts';
import { demoCounts, demoWorkspaces } from './demo.ts';
import { callsFrom } from './month-of-calls.ts';
import { versionsOf } from './preset-story.ts';

const now = new Date('2026-11-17T08:30:00.000Z');
const presets = demoWorkspaces.flatMap((workspace) =>
  workspace.presets.map((preset) => ({ workspace, preset })),
);

it('the demo is a company of a believable size', () => {
  expect(demoCounts.workspaces).toBe(6);
  expect(demoCounts.people).toBeGreaterThanOrEqual(12);
  expect(demoCounts.presets).toBeGreaterThanOrEqual(40);
  const guide = readFileSync(new URL('../../docs/demo.md', import.meta.url), 'utf8');
  const { workspaces, people } = demoCounts;
  expect(guide).toContain(`${workspaces} workspaces, ${people} people and ${demoCounts.presets} presets`);
  expect(new Set(presets.map(({ preset }) => preset.dialect ?? 'chat-completions')).size).toBe(3);
  expect(new Set(presets.map(({ preset }) => preset.status ?? 'active')).size).toBe(3);
});

describe.each(presets.map((item) => ({ ...item, name: item.preset.slug })))(
  'the demo preset $name',
  ({ workspace, preset }) => {
    const versions = versionsOf(preset, now);

    it('has 3 to 15 versions in the order of time, none in the future', () => {
      expect(versions.length).toBeGreaterThanOrEqual(3);
      expect(versions.length).toBeLessThanOrEqual(15);
      const times = versions.map(({ savedAt }) => savedAt.getTime());
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(times.at(-1)).toBeLessThan(now.getTime());
    });

    it('changes something in every version but the first, which is new', () => {
      const contents = versions.map(({ request: { presetd, ...request } }) =>
        JSON.stringify({ request, presetd: { ...presetd, note: undefined, designate: undefined } }),
      );
      for (const [index, content] of contents.entries()) expect(content).not.toBe(contents[index - 1]);
    });

    it('is written by people who belong to the team', () => {
      const authors = versions.map(({ by }) => by);
      const owners = workspace.keys.map(({ owner }) => owner);
      expect(Object.keys(workspace.team)).toEqual(expect.arrayContaining([...authors, ...owners]));
    });
  },
);

describe('the calls of the demo', () => {
  const ids = { organizationId: 'o', workspaceId: 'w', keyId: 'k', userId: 'u', presetId: 'p' };
  const callsOf = (slug: string, label: string | null = null) => {
    const found = presets.find(({ preset }) => preset.slug === slug);
    if (found === undefined) throw new Error(`no preset ${slug}`);
    const { preset } = found;
    return callsFrom({ ids, preset, label, callsPerDay: 60, rhythm: 'office', isStreamed: true }, now);
  };
  const average = (numbers: readonly number[]) =>
    numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

  it('calls of the demo are the same for the same time, and within the last 30 days', () => {
    const calls = callsOf('product-description');
    expect(calls).toEqual(callsOf('product-description'));
    const times = calls.map(({ id }) => arrivalOf(id));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(now.getTime() - 30 * 86_400_000);
    expect(Math.max(...times)).toBeLessThan(now.getTime());
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it('calls of the demo come on working days, with few at weekends', () => {
    const days = callsOf('product-description').map(({ id }) => new Date(arrivalOf(id)).getUTCDay());
    const atWeekends = days.filter((day) => day % 6 === 0).length;
    expect(atWeekends / days.length).toBeGreaterThan(0.01);
    expect(atWeekends / days.length).toBeLessThan(0.06);
  });

  it('calls of the demo switch to a version when it goes live, and it costs and takes more', () => {
    const calls = callsOf('product-description').filter(({ group }) => group.status === 200);
    const of = (version: number) => calls.filter(({ group }) => group.version === version);
    expect(new Set(calls.map(({ group }) => group.version))).toEqual(new Set([7, 8]));
    const lastOfOld = Math.max(...of(7).map(({ id }) => arrivalOf(id)));
    expect(lastOfOld).toBeLessThan(Math.min(...of(8).map(({ id }) => arrivalOf(id))));
    for (const measure of [
      ({ totalMs }: CallRecord) => totalMs,
      ({ cost }: CallRecord) => cost.nanos ?? Number.NaN,
    ])
      expect(average(of(8).map(measure))).toBeGreaterThan(1.5 * average(of(7).map(measure)));
  });

  it('calls of the demo use a label only after its version was saved', () => {
    expect(new Set(callsOf('order-status', 'canary').map(({ group }) => group.version))).toEqual(
      new Set([6]),
    );
  });

  it('calls of the demo have no price on the own machines of the company, and some fail', () => {
    const local = callsOf('log-triage').filter(({ group }) => group.upstream === 'gpu-cluster');
    expect(local.length).toBeGreaterThan(100);
    const answered = local.filter(({ group }) => group.status === 200);
    expect(answered.every(({ cost }) => cost.nanos === null)).toBe(true);
    expect(answered.length).toBeLessThan(local.length);
  });
});
