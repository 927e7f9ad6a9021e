import { hash } from 'node:crypto';
import type { Body, FailedAttempt } from '../../core/content-log/call-content.ts';
import type { ContentLogSettings } from '../../core/content-log/content-log-settings.ts';
import type { ContentMemory } from '../../core/content-log/content-memory.ts';
import type { UnwrittenContent } from '../../core/content-log/content-writer.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';
import { findErrorMessage } from '../../dialects/model/error-details.ts';
import type { Call, RelayedRequest } from '../call.ts';
import type { ExchangeOutcome } from '../exchange/upstream-exchange.ts';
import { describeForm } from '../request/form-body.ts';
import { redactJson } from '../response/redaction.ts';
import { endpointProperties } from '../upstreams/endpoint.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { ContentRecorder, type RecordedKind } from './content-recorder.ts';
import type { EndedCall } from './record-of-call.ts';

/**
 * Starts to collect the content of a call, if its workspace logs it. Skips calls with `store:
 * false` and reads of stored responses.
 */
export function startContent(
  call: Pick<Call, 'caller' | 'body' | 'dialect' | 'relayed' | 'trace'>,
  memory: ContentMemory,
): ContentRecorder | undefined {
  const { caller, body, relayed, trace } = call;
  const settings = caller.contentLog;
  if (settings === null || caller.workspaceId === null || trace.isDryRun) return undefined;
  if (body.store === false || relayed?.storedResponse !== undefined) return undefined;
  if (!isSampled(trace.id, settings)) return undefined;
  return new ContentRecorder(kindOf(call), settings.bytesMax, memory.createShare());
}

/** Whether a call is among those that are logged: always the same for the same id. */
function isSampled(callId: string, { samplingRate }: ContentLogSettings): boolean {
  if (samplingRate >= 1) return true;
  return Number.parseInt(hash('sha256', callId, 'hex').slice(0, 8), 16) / 2 ** 32 < samplingRate;
}

/** The content of a call that has ended; undefined if it is not logged. */
export function contentOfCall(ended: EndedCall): UnwrittenContent | undefined {
  const { caller, trace, bytes, relayed, requestId, body } = ended;
  const { workspaceId, contentLog: settings } = caller;
  if (trace.content === undefined || trace.content.isDropped) return undefined;
  if (settings === null || workspaceId === null) return undefined;
  const { sentBody, candidate } = trace.exchange ?? {};
  const isSame = sentBody === undefined || sentBody === bytes;
  const context = {
    requestId,
    model: typeof body.model === 'string' ? body.model : '',
    created: Math.floor(Date.now() / 1_000),
    request: body,
  };
  const { response, isWhole } = trace.content.finish(context, bytes.length);
  return {
    workspaceId,
    callId: trace.id,
    settings,
    share: trace.content.share,
    raw: {
      request: requestOf(bytes, relayed),
      sent: isSame ? null : sentBody,
      sentDialect: isSame || relayed !== undefined ? null : (candidate?.dialect ?? null),
      response,
      failures: trace.content.failures,
      truncated: isWhole ? [] : ['response'],
    },
  };
}

/** An attempt that another one follows, without the secrets of the upstream. */
export function failedAttempt(upstream: Upstream, outcome: ExchangeOutcome): FailedAttempt | undefined {
  const { name } = upstream;
  if (outcome.kind === 'upstream-error') {
    const { status } = outcome;
    const body = redactJson(outcome.body, upstream);
    const message = findErrorMessage(parseJsonObject(body)) ?? `The upstream returned ${status}.`;
    return { upstream: name, status, message, body: body.slice(0, bodyCharactersMax) };
  }
  if (outcome.kind !== 'no-response') return undefined;
  const { reason, message } = outcome.failure;
  return { upstream: name, status: reason === 'timeout' ? 504 : 502, message, body: null };
}

/** Enough for any message. */
const bodyCharactersMax = 4_096;

function kindOf({ dialect, relayed }: Pick<Call, 'dialect' | 'relayed'>): RecordedKind {
  if (relayed?.endpoint === undefined) return dialect;
  if (/^(?:images|audio\/speech)/.test(relayed.endpoint)) return 'media';
  return endpointProperties[relayed.endpoint].presetFields === undefined ? 'other' : dialect;
}

function requestOf(bytes: Buffer, relayed: RelayedRequest | undefined): Body {
  if (relayed?.form !== undefined) return { value: describeForm(relayed.form), bytes: bytes.length };
  return relayed !== undefined && relayed.contentType === undefined ? null : bytes;
}
