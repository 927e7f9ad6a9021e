import { expect, it } from 'vitest';
import { createClient } from '../api/client.ts';
import type { ApiClient } from './api-client.ts';
import { resolveVersion } from './preset-reference.ts';

/** A client of a server that has three versions of a preset, and what it requested. */
function clientOf(presetHeaders: Record<string, string>) {
  const requested: string[] = [];
  const api = createClient(async ({ path }) => {
    requested.push(path);
    const isList = path.includes('/versions');
    const content = isList ? { data: [], total_count: 3 } : { data: { slug: 'bot' } };
    return { headers: new Headers(isList ? {} : presetHeaders), text: '', content };
  }) as ApiClient;
  return { api, requested };
}

it('the latest version is read from the header of the preset', async () => {
  const { api, requested } = clientOf({ 'x-presetd-latest-version': '3' });
  expect(await resolveVersion(api, 'bot', 'latest')).toBe(3);
  expect(requested).toEqual(['/presets/bot']);
});

it('the latest version of a server without the header is the number of versions', async () => {
  const { api, requested } = clientOf({});
  expect(await resolveVersion(api, 'bot', 'latest')).toBe(3);
  expect(requested).toEqual(['/presets/bot', '/presets/bot/versions?limit=1']);
});
