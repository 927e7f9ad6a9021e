import { PresetdError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { accessibleWorkspace } from '../../core/organization/workspace-access.ts';
import { invalidBody, issuesMax } from '../../core/request-issues.ts';
import { isEmpty } from '../../dialects/responses/item-reference.ts';
import type { Call, RelayedRequest, StoredResponseRequest } from '../call.ts';
import type { GatewaySnapshot } from '../gateway-snapshot.ts';
import { type IdOptions, marksOf, type OpenedIds, openIds } from '../stored-ids/opened-ids.ts';
import { itemShape, ResponseIdRewriter, type ResponseRewriter } from '../stored-ids/response-id-rewriter.ts';
import type { ResponseIds, StoredKind, StoredObject } from '../stored-ids/response-ids.ts';
import {
  findNamedIds,
  findReferences,
  type StoredReference,
  scopeIds,
} from '../stored-ids/stored-references.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { kinds } from '../upstreams/upstream-kinds.ts';
import { askForSummary, canCompact, createCompactionWriter } from './compaction.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import { type Candidate, createModelMatcher, createRouter, planFor, type RoutePlan } from './router.ts';

/** A call that creates a response, or is about one that is stored. */
interface PlannedResponse {
  readonly call: Call;
  readonly applied: AppliedCall;
  readonly plan: RoutePlan;
  /** Signs the ids in what a candidate returns; undefined if there are none to sign. */
  readonly createRewriter: (candidate: Candidate) => ResponseRewriter | undefined;
}

/**
 * Plans a call in the dialect of responses. A call that refers to a stored response or item goes to
 * the upstream that stored it and to no other. Throws `invalid_request` if it is unknown.
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
  const { body } = applied;
  assertNoConversation(body);
  // Results of endpoints such as compact are not stored.
  const { endpoint } = call.relayed ?? {};
  if (endpoint === 'responses/compact' && !canCompact(body, snapshot.route))
    return planSummary(call, applied, snapshot, options);
  const named = findNamedIds(body);
  if (named.length > namedMax)
    throw invalidBody([{ path: '/input', message: `must have at most ${namedMax} ids of items` }]);
  const opened = await openIds(call, workspaceId, named, options);
  const upstream = findUpstream(call, body, opened, snapshot);
  const route =
    upstream === undefined ? snapshot.route : createRouter({ ...snapshot.settings, upstreams: [upstream] });
  const scope = (upstream: Upstream) =>
    scopeIds(body, { upstream, isStoring: storesResponses(upstream), stored: opened.stored, workspaceId });
  const presets = marksOf(call, opened.stored.values());
  const isStored = body.store !== false && endpoint === undefined;
  return {
    call,
    applied: {
      ...applied,
      at(upstream) {
        const scoped = scope(upstream);
        return { body: scoped.body, droppedFields: [...applied.droppedFields, ...scoped.droppedFields] };
      },
    },
    plan: route(body, call.dialect, endpoint),
    createRewriter({ upstream, dialect }) {
      if (dialect !== call.dialect) return undefined;
      const { responses, items } = scope(upstream);
      const shape = isStored && storesResponses(upstream) ? createdShape : {};
      if ([shape, responses, items].every((each) => Object.keys(each).length === 0)) return undefined;
      const sign = (id: string, kind: StoredKind) => {
        if (kind === 'response' && isChosenBy(call, id)) return undefined;
        return ids.sign(workspaceId, kind, { upstream: upstream.name, id, presets });
      };
      return new ResponseIdRewriter({ sign, shape, responses, items });
    },
  };
}

/** Bounds the time that a request can take. Longer conversations fit into no model. */
const namedMax = 10_000;

const createdShape = { id: 'response', output: [itemShape] } as const;
const readShape = { previous_response_id: 'response', output: [itemShape] } as const;
const listShape = { data: [itemShape], first_id: 'item', last_id: 'item' } as const;

/** presetd creates no conversations, so that none belongs to a workspace. */
function assertNoConversation({ conversation }: JsonObject): void {
  if (isEmpty(conversation)) return;
  const message =
    'is not supported, because all workspaces share the conversations of a provider; send previous_response_id, or the whole conversation in input';
  throw invalidBody([{ path: '/conversation', message }]);
}

/** The upstream that has stored what a request refers to; undefined if it refers to nothing. */
function findUpstream(
  call: Call,
  body: JsonObject,
  opened: OpenedIds,
  snapshot: GatewaySnapshot,
): Upstream | undefined {
  const references = findReferences(body).map((reference) => ({
    reference,
    stored: typeof reference.id === 'string' ? opened.stored.get(reference.id) : undefined,
  }));
  const unknown = references.filter(({ stored }) => stored === undefined).map(({ reference }) => reference);
  const [first] = unknown;
  if (first !== undefined) throw unusable(unknown, reasonFor(call, first.id, opened));
  let found: Upstream | undefined;
  for (const { reference, stored } of references) {
    if (stored === undefined) continue;
    const fail = (reason: string) => unusable([reference], reason);
    const upstream = upstreamOf(snapshot, stored, fail);
    if (found !== undefined && upstream !== found)
      throw fail(
        `it is stored at the upstream "${upstream.name}", but an earlier reference is stored at "${found.name}"`,
      );
    const { model } = body;
    if (typeof model === 'string' && !createModelMatcher(upstream.models)(model))
      throw fail(
        `it is stored at the upstream "${upstream.name}", which does not serve the model ${JSON.stringify(model)}`,
      );
    found = upstream;
  }
  return found;
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
  const stored = ids.open(workspaceId, 'response', signedId);
  if (stored === undefined) throw unknownResponse(signedId);
  const upstream = upstreamOf(snapshot, stored, (reason) => unknownResponse(signedId, reason));
  const path = `/responses/${encodeURIComponent(stored.id)}${action}`;
  const ownCursor = (id: string) => ids.open(workspaceId, 'item', id)?.id ?? id;
  // The presets of the previous response are among these, unless there are none. If they are fewer,
  // its id differs from the one that was returned for it, but means the same.
  const sign = (id: string, kind: StoredKind) => ids.sign(workspaceId, kind, { ...stored, id });
  return {
    call: { ...call, query: replaceCursors(call.query, ownCursor), relayed: { ...relayed, path } },
    applied,
    plan: planFor(upstream, call.dialect),
    createRewriter: () =>
      new ResponseIdRewriter({
        sign,
        shape: action === '/input_items' ? listShape : readShape,
        responses: { [stored.id]: signedId },
      }),
  };
}

/** Replaces signed ids of items in the cursors of a list. */
function replaceCursors(query: string, replace: (id: string) => string): string {
  return query.replaceAll(
    /([?&](?:after|before)=)([\w-]+)/g,
    (_, name: string, id: string) => name + encodeURIComponent(replace(id)),
  );
}

/** Throws what `fail` returns if the upstream is gone or cannot have stored the response. */
function upstreamOf(
  { connections }: GatewaySnapshot,
  stored: StoredObject,
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
  'nothing stored for this workspace has this id. Translated responses and those with "store": false are not stored';

function unknownResponse(id: string, reason = notStored): PresetdError {
  return new PresetdError('not_found', `There is no response ${JSON.stringify(id)}: ${reason}.`, {
    unquotedMessage: `There is no response with this id: ${reason}.`,
  });
}

/** The error for references, of which at least one cannot be used for this reason. */
function unusable(references: readonly StoredReference[], reason: string): PresetdError {
  const [first] = references;
  const { subject, verb, remedy } = wording[first?.role ?? 'item'];
  return new PresetdError(
    'invalid_request',
    `The ${subject} ${JSON.stringify(first?.id)} cannot be ${verb}: ${reason}. ${remedy}`,
    {
      issues: references.slice(0, issuesMax).map(({ role, path }) => ({ path, message: wording[role].rule })),
      unquotedMessage: `The ${subject} cannot be ${verb}: ${reason}. ${remedy}`,
    },
  );
}

const mustBeResponse = 'must be the id of a stored response';

const wording = {
  previous: {
    subject: 'previous response',
    verb: 'continued',
    remedy: 'Send the whole conversation in "input" instead.',
    rule: mustBeResponse,
  },
  comparison: {
    subject: 'response',
    verb: 'compared',
    remedy: 'Leave out "comparison_response_id".',
    rule: mustBeResponse,
  },
  item: {
    subject: 'item',
    verb: 'used',
    remedy: 'Send the item itself, as SDKs do with "store": false.',
    rule: 'must refer to an item of a stored response',
  },
} as const satisfies Record<StoredReference['role'], object>;
