import { PresetdError } from '../core/errors.ts';
import { readableWorkspace } from '../core/organization/workspace-access.ts';
import type { Call } from './call.ts';
import type { GatewaySnapshot } from './gateway-snapshot.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import { ResponseIdRewriter } from './response-id-rewriter.ts';
import type { ResponseIds, StoredResponse } from './response-ids.ts';
import { type Candidate, createRouter, type RoutePlan } from './router.ts';
import type { Upstream } from './upstreams/upstream.ts';
import { kinds } from './upstreams/upstream-kinds.ts';

/** A call that creates a response, which its upstream may store. */
export interface PlannedResponse {
  /** Has the upstream's own id in `previous_response_id`. */
  readonly applied: AppliedCall;
  readonly plan: RoutePlan;
  /** Signs the ids in what a candidate returns; undefined if there are none to sign. */
  readonly createRewriter: (candidate: Candidate) => ResponseIdRewriter | undefined;
}

/**
 * Plans a call in the dialect of responses. A call that continues a stored response goes to the
 * upstream that stored it and to no other. Throws `invalid_request` if that response is unknown.
 */
export function planResponse(
  call: Call,
  applied: AppliedCall,
  snapshot: GatewaySnapshot,
  ids: ResponseIds,
): PlannedResponse {
  const { workspaceId } = readableWorkspace(call.caller, undefined);
  const { previous_response_id: previousId, store } = applied.body;
  // What an endpoint such as compact returns is not stored.
  const { endpoint } = call.relayed ?? {};
  const isStored = store !== false && endpoint === undefined;
  const createRewriter = (candidate: Candidate, known: Readonly<Record<string, string>>) => {
    const { upstream, dialect } = candidate;
    if (dialect !== call.dialect) return undefined;
    const fields = isStored && storesResponses(upstream) ? (['id'] as const) : [];
    if (fields.length === 0 && Object.keys(known).length === 0) return undefined;
    const sign = (id: string) => ids.sign(workspaceId, { upstream: upstream.name, id });
    return new ResponseIdRewriter({ sign, fields, known });
  };
  // Some clients send an empty string for a new conversation.
  if (previousId === undefined || previousId === null || previousId === '')
    return {
      applied,
      plan: snapshot.route(applied.body, call.dialect, endpoint),
      createRewriter: (candidate) => createRewriter(candidate, {}),
    };
  if (typeof previousId !== 'string') throw unknownPrevious(previousId);
  const stored = ids.open(workspaceId, previousId);
  if (stored === undefined) throw unknownPrevious(previousId);
  const body = { ...applied.body, previous_response_id: stored.id };
  const upstream = upstreamOf(snapshot, stored, (reason) => unknownPrevious(previousId, reason));
  return {
    applied: { ...applied, body },
    plan: createRouter({ ...snapshot.settings, upstreams: [upstream] })(body, call.dialect, endpoint),
    createRewriter: (candidate) => createRewriter(candidate, { [stored.id]: previousId }),
  };
}

/** Throws what `fail` returns if the upstream is gone or cannot have stored the response. */
export function upstreamOf(
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

const notStored =
  'presetd returned no such id to this workspace for a response that is stored. Responses with "store": false, and of upstreams that presetd translates for, are not';

function unknownPrevious(id: unknown, reason = notStored): PresetdError {
  return new PresetdError(
    'invalid_request',
    `The previous response ${JSON.stringify(id)} cannot be continued: ${reason}. Send the whole conversation in "input" instead.`,
    { issues: [{ path: '/previous_response_id', message: 'must be the id of a stored response' }] },
  );
}
