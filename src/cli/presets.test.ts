import { describe, expect, it } from 'vitest';
import type { PresetEvent } from '../api/events.ts';
import type { Preset, PresetSummary } from '../api/presets.ts';
import type { PresetVersionDetails } from '../api/versions.ts';
import { parseExact } from '../core/json/json-text.ts';
import { pageFromEnd, renderVersion, renderVersions } from './preset-versions.ts';
import { renderEvents, renderList, renderPreset } from './presets.ts';
import { noPaint } from './ui/output.ts';

const version: PresetVersionDetails = {
  id: 'v2',
  preset_id: 'p',
  version: 2,
  config: parseExact('{"model":"m","seed":18446744073709551615}') as PresetVersionDetails['config'],
  system_prompt: 'Be kind.\n\nBe \u001b[2Jbrief.',
  creator_id: 'user_1',
  creator_email: 'ada@example.com',
  dialect: 'chat-completions',
  created_at: '2026-08-01T09:30:15.123Z',
  updated_at: '2026-08-01T09:30:15.123Z',
  presetd: { note: 'Shorter \u001b[2J brief', policy: {} },
};
const preset: Preset = {
  id: 'p',
  slug: 'support',
  name: 'Support',
  description: null,
  status: 'active',
  status_updated_at: null,
  created_at: '2026-07-01T08:00:00.000Z',
  updated_at: '2026-08-02T10:00:00.000Z',
  creator_user_id: 'user_1',
  workspace_id: 'w',
  designated_version_id: version.id,
  designated_version: version,
};

describe('renderPreset', () => {
  it('a preset is shown with its properties, prompt and config', () => {
    const labels = [{ label: 'production', version: 2, updated_at: preset.updated_at }];
    const aliases = ['help', 'pmpt_68a4'].map((alias) => ({ alias, created_at: preset.updated_at }));
    const tags = ['mobile', 'support'];
    const usage = { last_called_at: '2026-08-03T11:12:13.000Z' };
    expect(renderPreset({ preset, version, labels, aliases, tags, latest: 3, usage }, noPaint)).toBe(
      [
        'support@2',
        'name         Support',
        'status       active',
        'version      2 of 3, live',
        'saved        2026-08-01 09:30Z by ada@example.com',
        'note         Shorter \\u001b[2J brief',
        'labels       production=2',
        'aliases      help pmpt_68a4',
        'tags         mobile support',
        'created      2026-07-01 08:00Z',
        'updated      2026-08-02 10:00Z',
        'last called  2026-08-03 11:12Z',
        '',
        'System prompt',
        '  Be kind.',
        '',
        '  Be \\u001b[2Jbrief.',
        '',
        'Config',
        '  {',
        '    "model": "m",',
        '    "seed": 18446744073709551615',
        '  }',
        '',
        'presetd',
        '  {',
        '    "policy": {}',
        '  }',
      ].join('\n'),
    );
  });

  it('a creator without an address is named by ID', () => {
    const shown = {
      preset,
      version: { ...version, creator_email: null },
      labels: [],
      aliases: [],
      tags: [],
      latest: 3,
      usage: { last_called_at: null },
    };
    expect(renderPreset(shown, noPaint)).toContain('\nsaved        2026-08-01 09:30Z by user_1\n');
    expect(renderPreset(shown, noPaint)).toContain('\nlast called  never\n');
  });

  it('a version that is not live is shown with the live one', () => {
    const changed = { ...version, version: 3 };
    const shown = {
      preset,
      version: changed,
      labels: [],
      aliases: [],
      tags: [],
      latest: 3,
      usage: undefined,
    };
    expect(renderPreset(shown, noPaint)).toContain('\nversion      3 of 3; version 2 is live\n');
  });

  it('a version without a system prompt says so', () => {
    expect(renderVersion({ config: {}, system_prompt: null }, noPaint)).toBe(
      'System prompt\n  (none)\n\nConfig\n  {}',
    );
  });
});

describe('renderList', () => {
  const summary: PresetSummary = {
    ...preset,
    updated_by: 'user_1',
    name: 'two\nlines',
    designated_version_number: 2,
    model: 'openai/gpt-5',
    updated_by_email: 'owner@localhost',
    updated_by_name: 'Preset Owner',
    last_called_at: null,
    latest_version: 3,
    labels: { production: 2, staging: 3 },
    aliases: [],
    tags: ['mobile', 'support'],
  };
  const listWith = (labels: PresetSummary['labels']) =>
    renderList({ data: [{ ...summary, labels }], total_count: 1, total_count_exact: true }, 0);

  it('the preset list has one line per preset, and the offset of the next page', () => {
    expect(renderList({ data: [summary], total_count: 9, total_count_exact: true }, 4)).toBe(
      [
        'SLUG     STATUS  VERSION  UPDATED            LABELS                  TAGS            NAME',
        'support  active  2 of 3   2026-08-02 10:00Z  production=2 staging=3  mobile support  two\\nlines',
        'Showing 5-5 of 9; use --offset 5 for more',
      ].join('\n'),
    );
  });

  it.each([
    [2, 'label-1=1 label-2=2'],
    [4, 'label-1=1 label-2=2 label-3=3 label-4=4'],
    [100, 'label-1=1 label-2=2 label-3=3 +97'],
  ])('a list with %i labels shows as many as fit: %s', (count, shown) => {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const labels = Object.fromEntries(numbers.map((number) => [`label-${number}`, number]));
    expect(listWith(labels)).toContain(`Z  ${shown}  mobile`);
  });

  it('labels that do not fit at all are counted', () => {
    const labels = { ['x'.repeat(63)]: 1, y: 2 };
    expect(listWith(labels)).toContain('Z  +2      mobile');
  });

  it('an empty preset list says "No results"', () => {
    expect(renderList({ data: [], total_count: 0, total_count_exact: true }, 0)).toMatch(/\nNo results$/);
  });
});

describe('renderVersions', () => {
  it('the version list shows the live version, labels, creator and model', () => {
    const first = {
      ...version,
      version: 1,
      presetd: null,
      creator_email: null,
      config: { models: ['a/b\n', 'c'] },
    };
    const third = { ...version, version: 3, config: {} };
    const labels = ['production', 'staging'].map((label) => ({ label, version: 1, updated_at: '' }));
    const second = { ...version, presetd: { policy: {} } };
    expect(renderVersions([first, second, third], 2, labels, 7, 4)).toBe(
      [
        'VERSION  LIVE  LABELS              CREATED            BY               MODEL  NOTE',
        '3                                  2026-08-01 09:30Z  ada@example.com         Shorter \\u001b[2J brief',
        '2        live                      2026-08-01 09:30Z  ada@example.com  m',
        '1              production staging  2026-08-01 09:30Z  user_1           a/b\\n',
        'Showing 5-7 of 7',
      ].join('\n'),
    );
  });

  it.each([
    [
      { offset: 0, limit: 50 },
      { offset: 0, limit: 7 },
    ],
    [
      { offset: 0, limit: 3 },
      { offset: 4, limit: 3 },
    ],
    [
      { offset: 5, limit: 3 },
      { offset: 0, limit: 2 },
    ],
    [
      { offset: 7, limit: 3 },
      { offset: 7, limit: 1 },
    ],
    [
      { offset: 9, limit: 3 },
      { offset: 7, limit: 1 },
    ],
  ])('the page %j of seven versions, newest first, is %j, oldest first', (requested, sent) => {
    expect(pageFromEnd(7, requested)).toEqual(sent);
  });
});

describe('renderEvents', () => {
  it.each<[Pick<PresetEvent, 'before' | 'after'>, string]>([
    [{ before: null, after: { version: 1 } }, 'version 1'],
    [
      { before: { label: 'production', version: 1 }, after: { label: 'production', version: 2 } },
      'label production, version 1 → 2',
    ],
    [
      { before: { label: 'production', version: null }, after: { version: 2 } },
      'label production, version none → 2',
    ],
    [{ before: { name: 'a\tb' }, after: { name: 'x'.repeat(99) } }, `name a\\tb → ${'x'.repeat(59)}…`],
  ])('the event %j is shown as "%s"', (values, text) => {
    const event: PresetEvent = {
      id: '0198a2b4-0000-7000-8000-000000000001',
      number: 7,
      kind: 'preset.designated',
      actor_id: 'user_1',
      actor_email: 'ada@example.com',
      key_label: null,
      created_at: '2026-08-01T09:30:15.123Z',
      ...values,
    };
    const [, row, footer] = renderEvents({ data: [event], total_count: 7 }, 0).split('\n');
    expect(row).toMatch(/^7 +2026-08-01 09:30Z +designated +ada@example\.com +\S/);
    expect(row?.endsWith(text)).toBe(true);
    expect(footer).toBe('Showing 1-1 of 7; use --offset 1 for more');
  });
});
