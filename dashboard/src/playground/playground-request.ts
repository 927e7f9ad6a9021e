import type { One } from '../../../src/client/answers.ts';
import type { Dialect } from '../../../src/core/presets/preset.ts';
import { type Api, pathOf } from '../api/api.ts';
import { dialectPaths } from '../api/dialects.ts';

/** One message to a preset, with the selection on the page when it was sent. */
export interface PlaygroundRequest {
  readonly dialect: Dialect;
  readonly reference: string;
  /** The version that the reference meant on the page; undefined if none exists. */
  readonly version: number | undefined;
  readonly message: string;
}

/** What presetd would send upstream, as returned by a dry run. */
export interface EffectiveRequest {
  /** The applied version, such as `support-bot@3`. */
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

/** A request that has passed its dry run and can be sent. */
export interface PreparedRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly effective: EffectiveRequest;
}

/** Builds the request and dry-runs it; the model is not called. */
export async function prepareRequest(
  api: Api,
  request: PlaygroundRequest,
  signal: AbortSignal,
): Promise<PreparedRequest> {
  const path = pathOf(...dialectPaths[request.dialect]);
  const body = bodyOf(request);
  const effective = await dryRun(api, path, body, signal);
  // Anthropic Messages requires max_tokens. Add one only if the preset does not set it.
  if (request.dialect !== 'messages' || effective.body.max_tokens !== undefined)
    return { path, body, effective };
  const limited = { ...body, max_tokens: tokensMax };
  return { path, body: limited, effective: await dryRun(api, path, limited, signal) };
}

/** Enough for a reply in a playground. */
const tokensMax = 1_024;

function bodyOf({ dialect, reference, message }: PlaygroundRequest): Readonly<Record<string, unknown>> {
  const model = reference;
  if (dialect === 'responses') return { model, input: message, stream: true };
  const messages = [{ role: 'user', content: message }];
  // Without this, OpenAI and compatible servers omit token usage from streams.
  const options = dialect === 'chat-completions' && { stream_options: { include_usage: true } };
  return { model, messages, stream: true, ...options };
}

async function dryRun(api: Api, path: string, body: unknown, signal: AbortSignal): Promise<EffectiveRequest> {
  const headers = { 'x-presetd-dry-run': 'true' };
  return (await api.send<One<EffectiveRequest>>({ method: 'POST', path, body, headers, signal })).content
    .data;
}
