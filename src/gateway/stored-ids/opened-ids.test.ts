import { expect, it, vi } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { PresetResolver, ResolvedPreset } from '../../core/presets/resolve-preset.ts';
import { type Call, createTrace } from '../call.ts';
import { openIds } from './opened-ids.ts';
import { createResponseIds, markPreset } from './response-ids.ts';

const presetOf = (slug: string) =>
  ({
    slug,
    version: { version: 1, presetId: `${slug}0000000-0000-7000-8000-00000000000${slug}` },
  }) as unknown as ResolvedPreset & { readonly version: { readonly presetId: string } };

/** Opens the id of a response that came through preset 1, for a key of both that calls one. */
async function open(called: string, resolve: PresetResolver) {
  const ids = createResponseIds('secret');
  const presets = [markPreset(presetOf('1').version.presetId)];
  const id = ids.sign('w', 'response', { upstream: 'u', id: 'resp_1', presets }) ?? '';
  const trace = { ...createTrace(), preset: presetOf(called) };
  const call = { caller: { presets: ['2', '1'] }, trace } as unknown as Call;
  const { stored, beyondKey } = await openIds(call, 'w', [{ kind: 'response', id }], { ids, resolve });
  return { stored: [...stored.values()].map((each) => each.id), beyondKey: [...beyondKey] };
}

it('the preset of the call is not looked up again', async () => {
  const resolve = vi.fn<PresetResolver>();
  expect(await open('1', resolve)).toEqual({ stored: ['resp_1'], beyondKey: [] });
  expect(resolve).not.toHaveBeenCalled();
});

it('presets are looked up until all that matter are found', async () => {
  const resolve = vi.fn<PresetResolver>((_, { slug }) => presetOf(slug));
  expect(await open('2', resolve)).toEqual({ stored: ['resp_1'], beyondKey: [] });
  expect(resolve.mock.calls.map(([, { slug }]) => slug)).toEqual(['2', '1']);
});

it.each(['not_found', 'forbidden'] as const)(
  'a preset whose lookup ends with %s cannot be called',
  async (kind) => {
    const resolve = () => Promise.reject(new PresetdError(kind, 'No.'));
    expect(await open('2', resolve)).toMatchObject({ stored: [], beyondKey: [expect.any(String)] });
  },
);

it('a lookup that fails does not make a response unknown', async () => {
  const outage = new PresetdError('unavailable', 'The database is unavailable.');
  await expect(open('2', () => Promise.reject(outage))).rejects.toBe(outage);
});
