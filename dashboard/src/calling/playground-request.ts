import type { One } from '../../../src/client/answers.ts';
import type { Dialect } from '../../../src/core/preset.ts';
import { type Api, pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';

/** One message to a preset. */
export interface PlaygroundRequest {
  readonly dialect: Dialect;
  readonly reference: string;
  /** The version that the reference stood for on the page; undefined where it had none. */
  readonly version: number | undefined;
  readonly message: string;
}

/** What presetd sends to an upstream in the end, as a dry run tells it. */
export interface EffectiveRequest {
  /** The version that was applied, such as `support-bot@3`. */
  readonly preset: string | null;
  readonly upstream: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly overridden_fields: readonly string[];
  readonly dropped_fields: readonly string[];
  readonly fallbacks: readonly {
    readonly upstream: string;
    readonly url: string;
    readonly model: string | null;
  }[];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PreparedRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly effective: EffectiveRequest;
}

/** Makes the request and asks what would become of it. Nothing is sent to a model. */
export async function prepareRequest(
  api: Api,
  request: PlaygroundRequest,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const path = pathOf(...dialectPaths[request.dialect]);
  const body = bodyOf(request);
  const effective = await dryRun(api, path, body, signal);
  // Messages need a limit. That of the preset is better than any of ours.
  if (request.dialect !== 'messages' || effective.body.max_tokens !== undefined)
    return { path, body, effective };
  const limited = { ...body, max_tokens: tokensMax };
  return { path, body: limited, effective: await dryRun(api, path, limited, signal) };
}

const tokensMax = 1_024;

function bodyOf({ dialect, reference, message }: PlaygroundRequest): Readonly<Record<string, unknown>> {
  const model = reference;
  if (dialect === 'responses') return { model, input: message, stream: true };
  const messages = [{ role: 'user', content: message }];
  // Without this OpenAI, and those who speak like it, do not say what a streamed answer cost.
  const options = dialect === 'chat-completions' && { stream_options: { include_usage: true } };
  return { model, messages, stream: true, ...options };
}

async function dryRun(api: Api, path: string, body: unknown, signal: AbortSignal): Promise<EffectiveRequest> {
  const headers = { 'x-presetd-dry-run': 'true' };
  return (await api.send<One<EffectiveRequest>>({ method: 'POST', path, body, headers, signal })).content
    .data;
}
