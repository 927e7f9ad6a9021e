import type { Dispatcher } from 'undici';
import { authHeader } from '../request/request-headers.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';

/** A client waits for this when it lists models for the first time. */
const timeoutMs = 5_000;
const bytesMax = 32 * 1024 ** 2;
/** Bounds the list that clients get, which has no pages. OpenRouter lists a few hundred. */
const modelsMax = 10_000;

/**
 * Fetches the model list of an upstream unchanged. Rejects if there is no list in time. Without a
 * useful list, the models are those that the settings name without a star.
 */
export async function fetchModels(upstream: Upstream, userAgent: string): Promise<readonly unknown[]> {
  const { modelList } = kinds[upstream.kind];
  if (modelList === undefined) return configuredModels(upstream);
  const { request } = await import('undici');
  const { statusCode, body } = await request(`${upstream.baseUrl}/models${modelList.query}`, {
    headers: {
      'user-agent': userAgent,
      'accept-encoding': 'identity',
      ...modelList.headers,
      ...upstream.headers,
      ...(upstream.key?.secret !== undefined && authHeader(upstream.kind, upstream.key.secret)),
      accept: 'application/json',
    },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (statusCode !== 200) {
    await body.dump({ limit: 65_536 });
    throw new Error(`it returned status ${statusCode}`);
  }
  const response = parse(await readText(body));
  // Most upstreams wrap the list in `data`, some do not.
  const list = isWrapped(response) ? response.data : response;
  if (!Array.isArray(list)) throw new Error('its response is not a list of models');
  return list.slice(0, modelsMax);
}

function configuredModels({ models, stripPrefix }: Upstream): readonly unknown[] {
  const names = models.filter((model) => !model.includes('*') && model.startsWith(stripPrefix));
  return names.map((name) => ({ id: name.slice(stripPrefix.length) }));
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`its response is longer than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Hides the parser's error, which quotes the text: an error page may repeat the key. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its response is not JSON');
  }
}

function isWrapped(response: unknown): response is { readonly data: unknown } {
  return typeof response === 'object' && response !== null && 'data' in response;
}
