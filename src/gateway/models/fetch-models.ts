import { type Dispatcher, request } from 'undici';
import { authHeader, defaultAnthropicVersion } from '../auth-header.ts';
import type { Upstream } from '../upstreams/upstream.ts';

const timeoutMs = 5_000;
const bytesMax = 32 * 1024 ** 2;
/** Many times as many as anybody has; the list is answered whole. */
const modelsMax = 10_000;

/** Asks an upstream which models it has. Rejects where it does not answer with a list, soon enough. */
export async function fetchModels(upstream: Upstream, userAgent: string): Promise<readonly unknown[]> {
  // Anthropic's list comes in pages of 20 unless it is asked for more.
  const query = upstream.kind === 'anthropic' ? '?limit=1000' : '';
  const { statusCode, body } = await request(`${upstream.baseUrl}/models${query}`, {
    headers: {
      'user-agent': userAgent,
      'accept-encoding': 'identity',
      ...(upstream.kind === 'anthropic' && defaultAnthropicVersion),
      ...upstream.headers,
      ...(upstream.key?.secret !== undefined && authHeader(upstream.kind, upstream.key.secret)),
      accept: 'application/json',
    },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (statusCode !== 200) {
    await body.dump({ limit: 65_536 });
    throw new Error(`it answered with the status ${statusCode}`);
  }
  const answer = parse(await textOf(body));
  // Most wrap the list; some do not.
  const list = isWrapped(answer) ? answer.data : answer;
  if (!Array.isArray(list)) throw new Error('its answer is no list of models');
  return list.slice(0, modelsMax);
}

async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`its answer is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The error of the parser would repeat a part of the text, and the text may repeat our key. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is not JSON');
  }
}

function isWrapped(answer: unknown): answer is { readonly data: unknown } {
  return typeof answer === 'object' && answer !== null && 'data' in answer;
}
