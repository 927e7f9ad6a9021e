import { describe, expect, it } from 'vitest';
import type { CurrentKey, Key } from '../../client/organization-answers.ts';
import { noPaint } from '../paint.ts';
import { renderCurrentKey, renderKey, renderKeys } from './render-key.ts';

const now = '2026-08-01T12:00:00.000Z';
const earlier = '2026-08-01T11:59:59.000Z';
const later = '2026-09-01T00:00:00.000Z';
const id = '0198a2b4-0000-7000-8000-000000000001';
const key: Key = {
  ...{ hash: id, label: 'sk-pst-v1-ab1…9f2', name: 'For the pipeline', kind: 'api', read_only: false },
  ...{ disabled: false, created_at: earlier, updated_at: null, expires_at: null, last_used_at: null },
  ...{ previous_secret_expires_at: null, creator_user_id: 'user_1', creator_email: 'ann@example.com' },
  workspace_id: 'w',
};

describe('renderKeys', () => {
  it('shows what a key is and what it may', () => {
    const keys: readonly Key[] = [
      key,
      { ...key, kind: 'management', last_used_at: earlier, expires_at: later },
      { ...key, kind: 'management', read_only: true, expires_at: now, creator_email: null },
      { ...key, disabled: true, expires_at: earlier, name: 'Bad\u001b[31m' },
    ];
    expect(renderKeys(keys, 0, now)).toBe(
      `
LABEL              KIND        STATE                    LAST USED          OWNER            NAME              ID
sk-pst-v1-ab1…9f2  api         active                   never              ann@example.com  For the pipeline  ${id}
sk-pst-v1-ab1…9f2  management  until 2026-09-01 00:00Z  2026-08-01 11:59Z  ann@example.com  For the pipeline  ${id}
sk-pst-v1-ab1…9f2  read-only   expired                  never              user_1           For the pipeline  ${id}
sk-pst-v1-ab1…9f2  api         disabled                 never              ann@example.com  Bad\\u001b[31m     ${id}
1 to 4 of 4`.trimStart(),
    );
  });

  it.each([
    [0, 0, 'none of 0'],
    [0, 100, 'none after 100'],
    [99, 0, '1 to 99 of 99'],
    [100, 0, '1 to 100; --offset 100 shows more, if there are more'],
    [100, 100, '101 to 200; --offset 200 shows more, if there are more'],
    [3, 200, '201 to 203 of 203'],
  ])('of %i keys after %i says where more are', (count, offset, text) => {
    const keys = Array.from({ length: count }, () => key);
    expect(renderKeys(keys, offset, now).split('\n').at(-1)).toBe(text);
  });
});

describe('renderKey', () => {
  it('shows all that is known', () => {
    const rotated = { ...key, updated_at: earlier, previous_secret_expires_at: later };
    expect(renderKey(rotated, { id: 'w', slug: 'support' }, now, noPaint)).toBe(`sk-pst-v1-ab1…9f2
name          For the pipeline
kind          api
state         active
owner         ann@example.com, user_1
workspace     support, w
last used     never
created       2026-08-01 11:59Z
updated       2026-08-01 11:59Z
older secret  works until 2026-09-01 00:00Z
id            ${id}`);
  });

  it('leaves out what there is not, and an older secret that has ended', () => {
    const management = { ...key, kind: 'management' as const, previous_secret_expires_at: earlier };
    const text = renderKey(management, undefined, now, noPaint);
    expect(text).not.toMatch(/workspace|updated|older secret/);
  });
});

describe('renderCurrentKey', () => {
  const current: CurrentKey = { ...key, organization_id: 'o', rate_limit: { requests: 60, interval: '1m' } };

  it('says where the key is from', () => {
    expect(renderCurrentKey(current, 'PRESETD_API_KEY', now, noPaint)).toBe(`sk-pst-v1-ab1…9f2
name          For the pipeline
kind          api
state         active
owner         user_1
organization  o
workspace     w
rate limit    60 requests in 1m
id            ${id}
from          PRESETD_API_KEY`);
  });

  it('knows keys without organization, workspace and limit', () => {
    const personal = { ...current, kind: 'management' as const, organization_id: null, workspace_id: null };
    const text = renderCurrentKey(
      { ...personal, rate_limit: { requests: -1, interval: '1m' } },
      'X',
      now,
      noPaint,
    );
    expect(text).toContain('\norganization  none\nrate limit    none\n');
  });
});
