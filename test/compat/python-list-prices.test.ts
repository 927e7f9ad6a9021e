import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { costOf, type TokenCounts } from '../../src/core/ledger/price.ts';
import { createListPrices, providers } from '../../src/gateway/ledger/list-prices.ts';
import type { UpstreamKind } from '../../src/gateway/upstreams/upstream.ts';
import { packageRoot } from '../../src/package.ts';
import { describeInPython, python, pythonFolder, pythonTimeoutMs } from '../support/python.ts';

const at = '2026-11-18T12:00:00+00:00';

const usages: readonly TokenCounts[] = [
  { input: 1_234, cached: null, cacheWrite: null, output: 567, reasoning: null },
  { input: 12_345, cached: 8_000, cacheWrite: null, output: 1, reasoning: null },
  { input: 12_345, cached: 100, cacheWrite: 12_000, output: 99, reasoning: null },
  // The price of some models depends on the length of the input.
  { input: 128_001, cached: 1_000, cacheWrite: null, output: 10, reasoning: null },
  { input: 200_000, cached: null, cacheWrite: null, output: 10, reasoning: null },
  { input: 200_001, cached: 150_000, cacheWrite: null, output: 10, reasoning: null },
  { input: 600_000, cached: 1_000, cacheWrite: 2_000, output: 40_000, reasoning: null },
];

interface PricedModel {
  readonly provider: string;
  readonly model: string;
  /** For each usage; null if the library cannot price it. */
  readonly nanos: readonly (string | null)[];
}

describeInPython('the Python library of list prices, as a second opinion', () => {
  const listPrices = createListPrices();
  let models: readonly PricedModel[];
  beforeAll(async () => {
    const asked = {
      at,
      providers: Object.values(providers).filter((provider) => provider !== undefined),
      usages: usages.map(({ input, cached, cacheWrite, output }) => ({
        input_tokens: input,
        output_tokens: output,
        ...(cached !== null && { cache_read_tokens: cached }),
        ...(cacheWrite !== null && { cache_write_tokens: cacheWrite }),
      })),
    };
    const script = join(pythonFolder, 'genai_prices_costs.py');
    const { stdout } = await python([script, JSON.stringify(asked)]);
    models = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }, pythonTimeoutMs);

  const costs = async ({ provider, model, nanos }: PricedModel) => {
    const kind = Object.entries(providers).find(([, id]) => id === provider)?.[0] as UpstreamKind;
    return Promise.all(
      usages.map(async (tokens, index) => {
        const price = await listPrices.find(kind, model, tokens.input ?? 0, Date.parse(at));
        return {
          provider,
          model,
          tokens,
          ours: price && costOf(tokens, price),
          theirs: Number(nanos[index]),
        };
      }),
    );
  };

  it('both editions of the library have the same version, and so the same prices', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'));
    expect(readFileSync(join(pythonFolder, 'requirements.txt'), 'utf8')).toContain(
      `genai-prices==${dependencies['@pydantic/genai-prices']}\n`,
    );
  });

  it('all models cost the same, whatever the usage', async () => {
    const compared = (await Promise.all(models.map(costs))).flat();
    expect(compared.length).toBeGreaterThan(5_000);
    // A fraction of a billionth is rounded. The next test is about the others.
    const differing = compared.filter(({ ours = 0, theirs }) => !(Math.abs(ours - theirs) < 0.500001));
    expect(differing).toEqual([]);
  });

  it('models without a price for text are free by the library, and of unknown cost by presetd', async () => {
    const compared = await Promise.all(models.map(costs));
    const unknown = compared.filter((list) => list.some(({ ours }) => ours === undefined));
    expect(unknown.flat().filter(({ ours, theirs }) => ours !== undefined || theirs !== 0)).toEqual([]);
    expect(unknown.map(([first]) => first?.model)).toContain('whisper-large-v3-turbo');
  });
});
