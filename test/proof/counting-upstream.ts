import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { beginStream, type Exchange, json, upstreamError } from '../support/upstream-scripts.ts';

/** One token of output costs a thousandth of a dollar; input costs nothing. */
export const prices = { '*': { input_per_million: 0, output_per_million: 1_000 } };

/** Dollars as tokens of output. */
export const inTokens = (dollars: number) => Math.round(dollars * 1e9) / 1e6;

/**
 * An upstream that counts what it was asked for, in tokens of output: what each response cost that
 * it has sent, and for all other requests the largest possible cost. That includes requests whose
 * sender died before the response, because nobody knows whether a provider charges for them.
 */
export interface CountingUpstream {
  /** The base URL. */
  readonly url: string;
  /** Raise it before the limit of the key. */
  limit: number;
  /** Whether responses cost the largest possible amount. Otherwise, it is random. */
  costsMost: boolean;
  readonly asked: number;
  /** The least that was left of the limit at any moment. Negative if it was exceeded. */
  readonly leastLeft: number;
  readonly requests: number;
  readonly inFlight: number;
  readonly inFlightMax: number;
  stop(): Promise<void>;
}

export async function startCountingUpstream(random: Random): Promise<CountingUpstream> {
  const upstream = await startScriptedUpstream();
  const state = {
    url: upstream.url,
    limit: 0,
    costsMost: false,
    asked: 0,
    leastLeft: Number.POSITIVE_INFINITY,
    requests: 0,
    inFlight: 0,
    inFlightMax: 0,
    stop: () => upstream.stop(),
  };

  async function respond(exchange: Exchange): Promise<void> {
    const { max_tokens: most, stream } = exchange.request.body as { max_tokens: number; stream: boolean };
    state.asked += most;
    state.leastLeft = Math.min(state.leastLeft, state.limit - state.asked);
    state.requests += 1;
    state.inFlight += 1;
    state.inFlightMax = Math.max(state.inFlightMax, state.inFlight);
    const fails = !state.costsMost && random.below(20) === 0;
    const cost = fails ? 0 : state.costsMost ? most : random.below(most + 1);
    if (stream && !fails) await sendStream(exchange, cost);
    else {
      await pause();
      (fails ? upstreamError(500, 'Oops') : json(completion(cost)))(exchange);
    }
    const ended = await exchange.ended;
    state.inFlight -= 1;
    if (ended === 'completed') state.asked -= most - cost;
  }

  async function sendStream({ response }: Exchange, cost: number): Promise<void> {
    beginStream(response);
    const choices = [{ index: 0, delta: { content: 'Hi' } }];
    response.write(`data: ${JSON.stringify({ id: 'chatcmpl-1', choices })}\n\n`);
    await pause();
    const last = JSON.stringify({ id: 'chatcmpl-1', choices: [], usage: usageOf(cost) });
    response.end(`data: ${last}\n\ndata: [DONE]\n\n`);
  }

  const pause = () => delay(random.below(random.below(20) === 0 ? 1_000 : 100));

  upstream.respondAlways(respond);
  return state;
}

const usageOf = (tokens: number) => ({
  prompt_tokens: 1,
  completion_tokens: tokens,
  total_tokens: tokens + 1,
});

const completion = (tokens: number) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: usageOf(tokens),
});
