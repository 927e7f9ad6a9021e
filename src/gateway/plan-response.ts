import { PresetdError } from '../core/errors.ts';
import { accessibleWorkspace } from '../core/organization/workspace-access.ts';
import type { Call, RelayedRequest, StoredResponseRequest } from './call.ts';
import { askForSummary, canCompact, createCompactionWriter } from './compaction.ts';
import type { GatewaySnapshot } from './gateway-snapshot.ts';
import { type IdOptions, marksOf, type OpenedIds, openIds } from './opened-ids.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import { ResponseIdRewriter, type ResponseRewriter } from './response-id-rewriter.ts';
import type { ResponseIds, StoredResponse } from './response-ids.ts';
import { type Candidate, createModelMatcher, createRouter, planFor, type RoutePlan } from './router.ts';
import type { Upstream } from './upstreams/upstream.ts';
import { kinds } from './upstreams/upstream-kinds.ts';

/** A call that creates a response, or is about one that is stored. */
export interface PlannedResponse {
  readonly call: Call;
  /** Has the upstream's own id in `previous_response_id`. */
  readonly applied: AppliedCall;
  readonly plan: RoutePlan;
  /** Signs the ids in what a candidate returns; undefined if there are none to sign. */
  readonly createRewriter: (candidate: Candidate) => ResponseRewriter | undefined;
}

/**
 * Plans a call in the dialect of responses. A call that continues a stored response goes to the
 * upstream that stored it and to no other. Throws `invalid_request` if that response is unknown.
 */
export async function planResponse(
  call: Call,
  received: AppliedCall,
  snapshot: GatewaySnapshot,
  options: IdOptions,
): Promise<PlannedResponse> {
  const { ids } = options;
  const applied = withoutRequestId(received);
  const { workspaceId } = accessibleWorkspace(call.caller, undefined, 'call');
  if (call.relayed?.storedResponse !== undefined)
    return planStored(call, call.relayed, call.relayed.storedResponse, applied, snapshot, {
      ids,
      workspaceId,
    });
  // Results of endpoints such as compact are not stored.
  const { endpoint } = call.relayed ?? {};
  if (endpoint === 'responses/compact' && !canCompact(applied.body, snapshot.route))
    return planSummary(call, applied, snapshot, options);
  const { previous_response_id: previousId, store } = applied.body;
  const opened = await openIds(
    call,
    workspaceId,
    typeof previousId === 'string' ? [previousId] : [],
    options,
  );
  const presets = marksOf(call, opened.stored.values());
  const isStored = store !== false && endpoint === undefined;
  const createRewriter = (candidate: Candidate, known: Readonly<Record<string, string>>) => {
    const { upstream, dialect } = candidate;
    if (dialect !== call.dialect) return undefined;
    const fields = isStored && storesResponses(upstream) ? (['id'] as const) : [];
    if (fields.length === 0 && Object.keys(known).length === 0) return undefined;
    const sign = (id: string) =>
      isChosenBy(call, id) ? undefined : ids.sign(workspaceId, { upstream: upstream.name, id, presets });
    return new ResponseIdRewriter({ sign, fields, known });
  };
  // Some clients send an empty string for a new conversation.
  if (previousId === undefined || previousId === null || previousId === '')
    return {
      call,
      applied,
      plan: snapshot.route(applied.body, call.dialect, endpoint),
      createRewriter: (candidate) => createRewriter(candidate, {}),
    };
  const stored = typeof previousId === 'string' ? opened.stored.get(previousId) : undefined;
  if (typeof previousId !== 'string' || stored === undefined)
    throw unknownPrevious(previousId, reasonFor(call, previousId, opened));
  const body = { ...applied.body, previous_response_id: stored.id };
  const upstream = upstreamOf(snapshot, stored, (reason) => unknownPrevious(previousId, reason));
  const { model } = applied.body;
  if (typeof model === 'string' && !createModelMatcher(upstream.models)(model))
    throw unknownPrevious(
      previousId,
      `it is stored at the upstream "${upstream.name}", which does not serve the model ${JSON.stringify(model)}`,
    );
  return {
    call,
    applied: { ...applied, body },
    plan: createRouter({ ...snapshot.settings, upstreams: [upstream] })(body, call.dialect, endpoint),
    createRewriter: (candidate) => createRewriter(candidate, { [stored.id]: previousId }),
  };
}

/** With it, vLLM lets callers choose the id of a response, and so get one of another workspace. */
function withoutRequestId(applied: AppliedCall): AppliedCall {
  if (!Object.hasOwn(applied.body, 'request_id')) return applied;
  const { request_id: _, ...body } = applied.body;
  return { ...applied, body, droppedFields: [...applied.droppedFields, 'request_id'] };
}

/** Whether the id of a response was in its request, so that signing it would prove nothing. */
function isChosenBy({ bytes, body }: Call, id: string): boolean {
  // JSON may have escapes for letters. It is rare enough to look at the whole body again.
  return bytes.includes(id) || (bytes.includes('\\u00') && JSON.stringify(body).includes(id));
}

/** Plans a call that compacts a conversation at an upstream that cannot. */
async function planSummary(
  call: Call,
  applied: AppliedCall,
  snapshot: GatewaySnapshot,
  options: IdOptions,
): Promise<PlannedResponse> {
  const asked = askForSummary(call, applied);
  const planned = await planResponse(asked.call, asked.applied, snapshot, options);
  return {
    ...planned,
    createRewriter: (candidate) => createCompactionWriter(asked.call, planned.createRewriter(candidate)),
  };
}

/** Plans a request about a stored response. Throws `not_found` if there is none with this id. */
function planStored(
  call: Call,
  relayed: RelayedRequest,
  { signedId, action }: StoredResponseRequest,
  applied: AppliedCall,
  snapshot: GatewaySnapshot,
  { ids, workspaceId }: { readonly ids: ResponseIds; readonly workspaceId: string },
): PlannedResponse {
  const stored = ids.open(workspaceId, signedId);
  if (stored === undefined) throw unknownResponse(signedId);
  const upstream = upstreamOf(snapshot, stored, (reason) => unknownResponse(signedId, reason));
  const path = `/responses/${encodeURIComponent(stored.id)}${action}`;
  // The previous response came through no other presets. If it came through fewer, or the response
  // has none, its id differs from the one that was returned for it, but means the same.
  const sign = (id: string) => ids.sign(workspaceId, { ...stored, id });
  return {
    call: { ...call, relayed: { ...relayed, path } },
    applied,
    plan: planFor(upstream, call.dialect),
    createRewriter: () =>
      new ResponseIdRewriter({
        sign,
        fields: action === '/input_items' ? [] : ['previous_response_id'],
        known: { [stored.id]: signedId },
      }),
  };
}

/** Throws what `fail` returns if the upstream is gone or cannot have stored the response. */
function upstreamOf(
  { connections }: GatewaySnapshot,
  stored: StoredResponse,
  fail: (reason: string) => PresetdError,
): Upstream {
  const upstream = connections.get(stored.upstream)?.upstream;
  if (upstream === undefined) throw fail(`its upstream "${stored.upstream}" is no longer configured`);
  if (!upstream.dialects.includes('responses'))
    throw fail(`its upstream "${stored.upstream}" no longer has the dialect responses`);
  return upstream;
}

function storesResponses({ kind }: Upstream): boolean {
  return kinds[kind].storesResponses;
}

/** Why the caller cannot use an id of a stored response. */
function reasonFor({ caller }: Call, id: unknown, { beyondKey }: OpenedIds): string {
  if (typeof id !== 'string' || !beyondKey.has(id)) return notStored;
  return `the key ${caller.label} is limited to presets, and not all of the conversation came through these`;
}

const notStored =
  'presetd returned no such id to this workspace for a response that is stored. Responses with "store": false, and of upstreams that presetd translates for, are not';

function unknownResponse(id: string, reason = notStored): PresetdError {
  return new PresetdError('not_found', `There is no response ${JSON.stringify(id)}: ${reason}.`);
}

function unknownPrevious(id: unknown, reason = notStored): PresetdError {
  return new PresetdError(
    'invalid_request',
    `The previous response ${JSON.stringify(id)} cannot be continued: ${reason}. Send the whole conversation in "input" instead.`,
    { issues: [{ path: '/previous_response_id', message: 'must be the id of a stored response' }] },
  );
}
