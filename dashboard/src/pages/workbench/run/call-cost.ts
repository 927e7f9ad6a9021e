/**
 * The cost of a call, by its record in the ledger: the prices of the upstream file and list prices
 * count there, and failed attempts before a fallback. Nothing else on the page may compute a cost.
 */

import type { Api } from '../../../api/api.ts';
import { isStatus } from '../../../api/api-error.ts';

/** A call is stored within a second of its end, on a busy server later. */
const pausesMs = [1_200, 2_000, 5_000];

/** In US dollars; undefined if it is not known. Never throws. */
export async function readCost(
  api: Pick<Api, 'call' | 'ended'>,
  callId: string,
): Promise<number | undefined> {
  for (const pauseMs of pausesMs) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (api.ended.aborted) return undefined;
    try {
      const { content } = await api.call('GET /generation', { query: { id: callId } });
      return content.data.presetd.cost ?? undefined;
    } catch (error) {
      if (!isStatus(error, 404)) return undefined;
    }
  }
  return undefined;
}
