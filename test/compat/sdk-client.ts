import { HTTPClient, OpenRouter } from '@openrouter/sdk';

/** OpenRouter's client with its default settings, but with another URL and without retries. */
export function sdkClient(
  { url }: { readonly url: string },
  apiKey: string,
  httpClient = new HTTPClient(),
): OpenRouter {
  return new OpenRouter({
    apiKey,
    serverURL: `${url}/api/v1`,
    retryConfig: { strategy: 'none' },
    httpClient,
  });
}

/** A request as the server receives it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** An HTTP client for the SDK that records every request. */
export function recordingClient(): { readonly httpClient: HTTPClient; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const httpClient = new HTTPClient().addHook('beforeRequest', async (request) => {
    const { pathname, search } = new URL(request.url);
    const text = await request.clone().text();
    const body = text === '' ? undefined : JSON.parse(text);
    sent.push({ method: request.method, path: pathname + search, body });
  });
  return { httpClient, sent };
}
