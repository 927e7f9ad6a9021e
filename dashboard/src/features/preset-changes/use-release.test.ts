import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Release } from './undo-offers.ts';
import { canUndo, revertRelease } from './use-release.ts';

const release: Release = {
  version: 2,
  liveBefore: 1,
  labels: [
    { label: 'beta', from: 1, to: 2 },
    { label: 'staging', from: 3, to: 2 },
  ],
  draft: undefined,
};

/** A preset whose version 2 was made live with both labels, and then changed otherwise. */
function fakePreset() {
  const labels = new Map(release.labels.map(({ label, to }) => [label, to]));
  const preset = { live: 2, revision: 7, labels, staleReads: 0 };
  const etag = (revision = preset.revision) => `"${revision}"`;
  const change = (expected: string | undefined, apply: () => void) => {
    if (expected !== etag()) throw new ApiError(412, 'Changed');
    apply();
    preset.revision += 1;
  };
  const call = async (
    route: string,
    { params, headers, body }: Record<'params' | 'headers' | 'body', Record<string, never>>,
  ) => {
    const { live } = preset;
    if (route === 'GET /presets/:slug' && preset.staleReads > 0) {
      preset.staleReads -= 1;
      const data = { designated_version: { version: live } };
      return { content: { data }, headers: new Headers({ etag: etag(preset.revision - 1) }) };
    }
    if (route.startsWith('PATCH'))
      change(headers['if-match'], () => (preset.live = body.designated_version ?? 0));
    if (route.startsWith('PUT'))
      change(headers['if-match'], () => preset.labels.set(params.label ?? '', body.version ?? 0));
    const data = route.endsWith('/labels')
      ? [...labels].map(([label, version]) => ({ label, version }))
      : { designated_version: { version: preset.live } };
    return { content: { data }, headers: new Headers({ etag: etag() }) };
  };
  return { preset, api: { call } as unknown as Api };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function revert(api: Api): Promise<string | undefined> {
  const reverted = revertRelease(api, undefined, 'bot', release);
  // Rejections are handled by the caller.
  reverted.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(5_000);
  return reverted;
}

test('a release is undone although the preset has changed otherwise', async () => {
  const { api, preset } = fakePreset();
  expect(await revert(api)).toBeUndefined();
  expect(preset.live).toBe(1);
  expect(Object.fromEntries(preset.labels)).toEqual({ beta: 1, staging: 3 });
});

test('a label that was moved since stays where it is', async () => {
  const { api, preset } = fakePreset();
  preset.labels.set('staging', 4);
  expect(await revert(api)).toBe('Did not move staging: changed by someone else');
  expect(Object.fromEntries(preset.labels)).toEqual({ beta: 1, staging: 4 });
});

test('a release is not undone once another version is live', async () => {
  const { api, preset } = fakePreset();
  preset.live = 3;
  await expect(revert(api)).rejects.toThrow('version 3 is live now');
  expect(preset.live).toBe(3);
});

test('an outdated state from the cache of another worker is read again', async () => {
  const { api, preset } = fakePreset();
  preset.staleReads = 2;
  await revert(api);
  expect(preset.live).toBe(1);
});

test.each([
  ['a release', 1, 'it is live', 2, true],
  ['a release', 1, 'a colleague made another version live', 3, false],
  ['a save', undefined, 'another version is live', 1, true],
  ['a save', undefined, 'a colleague made it live', 2, false],
])('%s of version 2 over %s can be undone while %s (%i): %s', (_, liveBefore, __, live, expected) => {
  expect(canUndo({ ...release, liveBefore }, live)).toBe(expected);
});
