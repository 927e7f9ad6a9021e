import { describe, expect, it } from 'vitest';
import type { CurrentKey, Key } from '../api/keys.ts';
import { keyReference, renderCurrentKey, renderKey, renderKeys } from './keys.ts';
import { noPaint } from './ui/output.ts';

const now = '2026-08-01T12:00:00.000Z';
const earlier = '2026-08-01T11:59:59.000Z';
const later = '2026-09-01T00:00:00.000Z';
const id = '0198a2b4-0000-7000-8000-000000000001';
const identity = {
  ...{ hash: id, label: 'sk-pst-v1-ab1…9f2', name: 'For the pipeline', kind: 'api', read_only: false },
  ...{ scope: 'call', presets: null },
  ...{ expires_at: null, creator_user_id: 'user_1', workspace_id: 'w' },
  ...{ limit: null, limit_remaining: null, limit_reset: null },
} as const;
const key = {
  ...identity,
  ...{ disabled: false, created_at: earlier, updated_at: null, last_used_at: null },
  ...{ previous_secret_expires_at: null, creator_email: 'ann@example.com' },
} as Key;

it.each([
  ['sk-pst-v1-ab1…9f2', 'sk-pst-v1-ab1…9f2'],
  ['sk-pst-v1-ab1...9f2', 'sk-pst-v1-ab1…9f2'],
  [`sk-pst-v1-${'0'.repeat(64)}`, 'a4dba7c2951ca760474591b5a9d35ee227e4615e4ebca13fd8b8f62e5bdb7811'],
])('the key %s is sent as %s', (given, sent) => {
  expect(keyReference(given)).toBe(sent);
});

describe('renderKeys', () => {
  it('the key list shows kind, state, owner and last use', () => {
    const keys: readonly Key[] = [
      key,
      { ...key, kind: 'management', last_used_at: earlier, expires_at: later },
      { ...key, kind: 'management', read_only: true, expires_at: now },
      { ...key, disabled: true, scope: 'write', presets: ['a', 'b'], name: 'Bad\u001b[31m' },
    ];
    expect(renderKeys(keys, 0, now)).toBe(
      `
LABEL              KIND        SCOPE             STATE                      LAST USED          OWNER            NAME              ID
sk-pst-v1-ab1…9f2  api         call              active                     never              ann@example.com  For the pipeline  ${id}
sk-pst-v1-ab1…9f2  management                    expires 2026-09-01 00:00Z  2026-08-01 11:59Z  ann@example.com  For the pipeline  ${id}
sk-pst-v1-ab1…9f2  read-only                     expired                    never              ann@example.com  For the pipeline  ${id}
sk-pst-v1-ab1…9f2  api         write, 2 presets  disabled                   never              ann@example.com  Bad\\u001b[31m     ${id}
Showing 1-4 of 4`.trimStart(),
    );
  });

  it('the key list shows what is left of limits, if a key has one', () => {
    const limits = [
      { limit: 50, limit_remaining: 37.6, limit_reset: 'monthly' },
      { limit: 12.5, limit_remaining: -0.25, limit_reset: null },
      { limit: null, limit_remaining: null, limit_reset: null },
    ] as const;
    const lines = renderKeys(
      limits.map((limit) => ({ ...key, ...limit })),
      0,
      now,
    ).split('\n');
    expect(lines.map((line) => line.slice(32, 70).trimEnd())).toEqual([
      'STATE   LIMIT',
      'active  $37.60 left of $50 per month',
      'active  -$0.2500 left of $12.50',
      'active',
      '',
    ]);
  });

  it.each([
    [0, 0, 'No results'],
    [0, 100, 'No results after 100'],
    [99, 0, 'Showing 1-99 of 99'],
    [100, 0, 'Showing 1-100; use --offset 100 for more, if any'],
    [100, 100, 'Showing 101-200; use --offset 200 for more, if any'],
    [3, 200, 'Showing 201-203 of 203'],
  ])('a page of %i keys at offset %i ends with: %s', (count, offset, text) => {
    const keys = Array.from({ length: count }, () => key);
    expect(renderKeys(keys, offset, now).split('\n').at(-1)).toBe(text);
  });
});

describe('renderKey', () => {
  it('a key is shown with all its properties', () => {
    const rotated = {
      ...{ ...key, presets: ['bot', 'faq'] },
      ...{ limit: 20, limit_remaining: 20, limit_reset: 'weekly' as const },
      ...{ updated_at: earlier, previous_secret_expires_at: later },
    };
    expect(renderKey(rotated, { id: 'w', slug: 'support' }, now, noPaint)).toBe(`sk-pst-v1-ab1…9f2
name        For the pipeline
kind        api
scope       call
presets     bot, faq
limit       $20.00 left of $20 per week
state       active
owner       ann@example.com, user_1
workspace   support, w
last used   never
created     2026-08-01 11:59Z
updated     2026-08-01 11:59Z
old secret  works until 2026-09-01 00:00Z
id          ${id}`);
  });

  it('empty properties and an expired old secret are omitted', () => {
    const management = { ...key, kind: 'management' as const, previous_secret_expires_at: earlier };
    const text = renderKey(management, undefined, now, noPaint);
    expect(text).not.toMatch(/scope|presets|workspace|updated|old secret/);
  });
});

describe('renderCurrentKey', () => {
  const rate_limit = { requests: 60, interval: '1m', note: '' };
  const current = { ...identity, organization_id: 'o', rate_limit } as CurrentKey;

  it('the current key is shown with the setting it comes from', () => {
    expect(renderCurrentKey(current, 'PRESETD_API_KEY', now, noPaint)).toBe(`sk-pst-v1-ab1…9f2
name          For the pipeline
kind          api
scope         call
state         active
owner         user_1
organization  o
workspace     w
rate limit    60 requests per 1m
id            ${id}
from          PRESETD_API_KEY`);
  });

  it('a key without organization, workspace and rate limit is shown as such', () => {
    const personal = { ...current, kind: 'management' as const, organization_id: null, workspace_id: null };
    const text = renderCurrentKey(
      { ...personal, rate_limit: { ...rate_limit, requests: -1 } },
      'X',
      now,
      noPaint,
    );
    expect(text).toContain('\norganization  none\nrate limit    none\n');
  });
});
