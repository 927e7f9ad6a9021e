import type { IncomingHttpHeaders, OutgoingHttpHeader } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { ContentMemory } from '../core/content-log/content-memory.ts';
import { type ErrorKind, PresetdError } from '../core/errors.ts';
import { headerNames } from '../core/header-names.ts';
import { isJsonObject, type JsonObject } from '../core/json/json-object.ts';
import { callErrorOf } from '../core/ledger/call-error.ts';
import type { Measurements } from '../core/measurements.ts';
import type { Authenticator } from '../core/organization/authenticate.ts';
import type { Caller } from '../core/organization/caller.ts';
import type { WorkspaceStore } from '../core/organization/organization-storage.ts';
import type { Right } from '../core/organization/right.ts';
import { isUuid } from '../core/organization/workspace.ts';
import { accessibleWorkspace, unknownWorkspace } from '../core/organization/workspace-access.ts';
import { type Call, labelOf, measuredPreset, overheadOf, type RelayedRequest } from '../gateway/call.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { startContent } from '../gateway/ledger/content-of-call.ts';
import type { EndedCall } from '../gateway/ledger/record-of-call.ts';
import { fieldsOf, parseForm } from '../gateway/request/form-body.ts';
import { presetdHeaders } from '../gateway/response/response-headers.ts';
import { parseJsonBody, withoutByteOrderMark } from './body/json-body.ts';
import { assertNotCompressed } from './body/request-body.ts';
import { parseDraft } from './call-draft.ts';
import { renderError } from './errors/error-response.ts';
import { finalStatus } from './request-log.ts';

/** A model call whose key is valid and whose body is complete, but not yet parsed. */
export type ReceivedCall = Omit<ParsedCall, 'body'>;

type ParsedCall = Omit<Call, 'findLostAccess'>;

/**
 * Serves model calls on the raw response, without the framework. The fast path and the inference
 * routes both end here, so that a call behaves the same on either path.
 */
export interface CallServer {
  /** Validates the call and hands it to the gateway; sends an error if either fails. */
  serve(call: ReceivedCall): void;
  /** Sends an error in the format of the call's dialect. */
  sendError(call: ReceivedCall, error: unknown): void;
}

interface CallServerOptions {
  readonly gateway: Gateway;
  readonly storage: { readonly workspaces: Pick<WorkspaceStore, 'find'> };
  readonly recordCall: (ended: EndedCall) => void;
  /** Logs the content of the call, if it was collected. */
  readonly recordContent: (ended: EndedCall) => void;
  readonly contentMemory: ContentMemory | undefined;
}

type EndedResponse = Pick<EndedCall, 'status' | 'totalMs'>;

export function createCallServer(
  { gateway, storage: { workspaces }, recordCall, recordContent, contentMemory }: CallServerOptions,
  authenticator: Pick<Authenticator, 'reauthenticate'>,
  measurements: Measurements,
  log: FastifyBaseLogger,
): CallServer {
  return {
    serve(call) {
      const { response, trace, receivedAt, admittedMs } = call;
      let parsed: Omit<ParsedCall, 'draft'> = { ...call, body: {} };
      // On 'close', when the final status is known, also for streams and disconnected clients.
      const closed = new Promise<EndedResponse>((resolve) => {
        response.on('close', () => {
          const status = finalStatus(response, trace.brokenStatus);
          resolve({ status, totalMs: admittedMs + performance.now() - receivedAt });
          if (trace.isDryRun) return;
          const { upstream } = trace;
          measurements.gatewayRequest({
            dialect: labelOf(call),
            preset: measuredPreset(trace),
            upstream,
            status,
          });
        });
      });
      const handled = forward(call, (result) => {
        parsed = result;
      }).catch((error: unknown) => sendError(call, error));
      // The gateway may finish after its client has gone, and a client may read for longer.
      Promise.all([closed, handled])
        // Nobody waits for it, and an unhandled error would end the process.
        .then(([ended]) => {
          if (!trace.isDryRun) record(call, { ...parsed, ...ended });
        });
    },
    sendError,
  };

  /** Either may fail without the other. */
  function record({ requestId, trace }: ReceivedCall, ended: EndedCall): void {
    try {
      recordCall(ended);
    } catch (error) {
      measurements.droppedCallRecords(1);
      log.error({ reqId: requestId, err: error }, 'could not record a call');
    }
    try {
      recordContent(ended);
    } catch (error) {
      trace.content?.share.release();
      measurements.droppedContents(1);
      log.error({ reqId: requestId, err: error }, 'could not log the content of a call');
    }
  }

  /**
   * Rejects for whatever keeps the call from being sent; the gateway itself reports upstream
   * errors.
   */
  async function forward(call: ReceivedCall, onParsed: (parsed: ParsedCall) => void): Promise<void> {
    const { caller, headers, trace } = call;
    assertCanCallModels(caller);
    assertNotCompressed(call);
    trace.isDryRun = isDryRun(headers, call.query);
    // A dry run shows the content of the preset.
    const right = trace.isDryRun ? 'read' : 'call';
    if (caller.kind !== 'session') accessibleWorkspace(caller, undefined, right);
    const placed = caller.kind === 'session' ? await inWorkspace(call, right) : call;
    const parsed =
      placed.relayed === undefined ? parseJsonCall(placed) : parseRelayedCall(placed, placed.relayed);
    onParsed(parsed);
    if (contentMemory !== undefined) trace.content = startContent(parsed, contentMemory);
    await gateway.handle({ ...parsed, findLostAccess: () => findLostAccess(placed, right) });
  }

  async function findLostAccess(
    { caller, requestId }: ReceivedCall,
    right: Right,
  ): Promise<PresetdError | undefined> {
    try {
      const current = await authenticator.reauthenticate(caller);
      const requested = caller.kind === 'session' ? caller.workspaceId : null;
      accessibleWorkspace(current, requested ?? undefined, right);
    } catch (error) {
      if (error instanceof PresetdError && lossesOfAccess.has(error.kind)) return error;
      // An outage of the database must not end calls.
      if (!(error instanceof PresetdError && error.kind === 'unavailable'))
        log.error({ reqId: requestId, err: error }, 'could not check the caller of a call in flight');
    }
    return undefined;
  }

  /** The call of a session, in the workspace of its query, which is not for the upstream. */
  async function inWorkspace(call: ReceivedCall, right: Right): Promise<ReceivedCall> {
    const parameters = new URLSearchParams(call.query);
    const requested = parameters.get('workspace_id') ?? undefined;
    parameters.delete('workspace_id');
    if (requested !== undefined && !isUuid(requested)) throw unknownWorkspace(requested);
    const { organizationId, workspaceId } = accessibleWorkspace(call.caller, requested, right);
    // A call without a preset reads nothing else of the workspace, so that one that does not exist
    // would go unnoticed, and ids of responses would be bound to it.
    const workspace = await workspaces.find(organizationId, workspaceId);
    if (workspace === undefined) throw unknownWorkspace(workspaceId);
    const query = parameters.size === 0 ? '' : `?${parameters}`;
    const contentLog = workspace.contentLog.isEnabled ? workspace.contentLog : null;
    return { ...call, query, caller: { ...call.caller, workspaceId, contentLog } };
  }

  function sendError(call: ReceivedCall, error: unknown): void {
    const { response, requestId, caller, dialect, trace } = call;
    if (response.destroyed) return;
    if (response.headersSent) {
      // Should not happen. A response that is cut short must not look complete to the client.
      log.error({ reqId: requestId, err: error }, 'call failed after its response had begun');
      response.destroy();
      return;
    }
    const overheadMs = overheadOf(call);
    trace.overheadMs = overheadMs;
    trace.error = callErrorOf(error);
    const { status, headers, body } = renderError(error, {
      requestId,
      userId: caller.ownerId,
      dialect,
      log,
    });
    const list = [
      ...call.commonHeaders(),
      ...Object.entries(headers).flat(),
      ...presetdHeaders(trace, overheadMs),
      ...['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(body)],
    ];
    trace.content?.setBody(body);
    response.writeHead(status, list as OutgoingHttpHeader[]);
    response.end(body);
  }
}

const lossesOfAccess: ReadonlySet<ErrorKind> = new Set(['unauthenticated', 'forbidden', 'not_found']);

export function assertCanCallModels({ kind, label }: Caller): void {
  if (kind === 'management')
    throw new PresetdError(
      'forbidden',
      `${label} is a management key, which cannot call models. Use an API key of a workspace.`,
    );
}

function parseJsonCall(call: ReceivedCall): ParsedCall {
  const bytes = withoutByteOrderMark(call.bytes);
  const { value, exactValue: body } = parseJsonBody(bytes);
  if (!isJsonObject(body))
    throw new PresetdError('invalid_request', 'The request body is not a JSON object.', {
      issues: [{ path: '', message: 'must be an object' }],
    });
  const draft = body.presetd === undefined ? undefined : parseDraft(call.caller, value as JsonObject, body);
  return draft === undefined ? { ...call, bytes, body } : { ...call, bytes, body, draft };
}

function parseRelayedCall(call: ReceivedCall, relayed: RelayedRequest): ParsedCall {
  const { contentType } = relayed;
  if (contentType === undefined) return { ...call, body: {} };
  if (!isForm(contentType)) return parseJsonCall(call);
  const form = parseForm(call.bytes, contentType);
  return { ...call, body: fieldsOf(form), relayed: { ...relayed, form } };
}

function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType);
}

/**
 * The query of a URL with its question mark and without a fragment; empty if there are no
 * parameters.
 */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  if (start === -1) return '';
  const [query = ''] = url.slice(start).split('#', 1);
  return query === '?' ? '' : query;
}

/** Throws `invalid_request` if the header is malformed, or the request looks like a dry run. */
export function isDryRun(headers: IncomingHttpHeaders, query: string): boolean {
  assertNoDryRunParameter(query);
  return parseDryRunHeader(headers[headerNames.dryRun]);
}

/** Captures have this parameter. On a call it would be ignored, and the call would be billed. */
function assertNoDryRunParameter(query: string): void {
  if (query !== '' && new URLSearchParams(query).has('dry_run'))
    throw new PresetdError(
      'invalid_request',
      'Calls have no query parameter dry_run. For a dry run, send the header x-presetd-dry-run: true.',
      { issues: [{ path: '/dry_run', message: 'is not a query parameter of calls' }] },
    );
}

/** Rejects malformed values: a mistyped dry run must not become a billed call. */
function parseDryRunHeader(header: string | string[] | undefined): boolean {
  if (header === undefined || header === 'false') return false;
  if (header === 'true') return true;
  throw new PresetdError('invalid_request', 'The header x-presetd-dry-run must be true or false.');
}
