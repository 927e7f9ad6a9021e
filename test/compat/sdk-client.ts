import { HTTPClient, OpenRouter } from '@openrouter/sdk';

/** The client of OpenRouter, with all as its users have it but the address; and each request is sent once. */
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

/** What a client sent, as the server saw it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

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
