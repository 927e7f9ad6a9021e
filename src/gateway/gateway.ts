import { assertNoIssues } from '../core/request-issues.ts';
import { findMisspelledFields } from '../dialects/field-spelling.ts';
import type { Call } from './call.ts';
import { tryCandidates } from './exchange/try-candidates.ts';
import {
  createSnapshot,
  type GatewayOptions,
  type GatewaySnapshot,
  releaseSnapshot,
} from './gateway-snapshot.ts';
import { expandCompactions } from './plan/compaction.ts';
import { planResponse } from './plan/plan-response.ts';
import { planRelayedCall, resolveRelayedCall } from './plan/relayed-call.ts';
import { type AppliedCall, resolveAndApplyPreset } from './plan/resolve-and-apply-preset.ts';
import type { RoutePlan } from './plan/router.ts';
import { describeDryRun } from './request/dry-run.ts';
import { ClientResponse } from './response/client-response.ts';
import { needsTokenEstimate, sendTokenEstimate } from './tokens/token-estimate.ts';
import { Tokenizer } from './tokens/tokenizer.ts';
import type { GatewaySettings } from './upstreams/upstream.ts';

export interface Gateway {
  /** Responds to the call. Throws only if nothing was sent, so that the caller can respond. */
  handle(call: Call): Promise<void>;
  /** Applies to new calls. In-flight calls finish with the settings they started with. */
  reload(settings: GatewaySettings): void;
  readonly settings: GatewaySettings;
  /** Destroys the upstream connections, which aborts calls that are still in flight. */
  close(): Promise<void>;
}

/**
 * Forwards inference calls: it resolves and applies the preset, routes the call to upstreams and
 * tries them in order. One gateway per process, created at startup and closed on shutdown.
 */
export function createGateway(options: GatewayOptions): Gateway {
  let current = createSnapshot(options.settings, options.userAgent);
  const tokenizer = new Tokenizer();

  return {
    async handle(received) {
      const snapshot = current;
      snapshot.inFlightCalls += 1;
      try {
        const call = received.dialect === 'responses' ? expandCompactions(received) : received;
        assertNoIssues(findMisspelledFields(call.body));
        const { relayed } = call;
        const result =
          relayed === undefined
            ? resolveAndApplyPreset(call, options.resolve)
            : resolveRelayedCall(call, relayed, options.resolve);
        const applied = result instanceof Promise ? await result : result;
        const planned =
          call.dialect === 'responses'
            ? await planResponse(call, applied, snapshot, {
                ids: await options.responseIds(),
                resolve: options.resolve,
              })
            : { call, applied, plan: planCall(call, applied, snapshot) };
        const counted =
          relayed && planned.plan.candidates.find((candidate) => needsTokenEstimate(call, candidate));
        if (!call.trace.isDryRun) recordCall(call, options);
        if (call.trace.isDryRun) sendDryRun(planned.call, planned.applied, planned.plan, options);
        else if (counted !== undefined)
          await sendTokenEstimate(call, planned.applied, counted, tokenizer, options.measurements);
        else await tryCandidates({ ...planned, snapshot, options });
      } finally {
        snapshot.inFlightCalls -= 1;
        if (snapshot.isRetired && snapshot.inFlightCalls === 0) void releaseSnapshot(snapshot);
      }
    },
    reload(settings) {
      const previous = current;
      current = createSnapshot(settings, options.userAgent, previous);
      previous.isRetired = true;
      if (previous.inFlightCalls === 0) void releaseSnapshot(previous);
    },
    get settings() {
      return current.settings;
    },
    close() {
      tokenizer.close();
      return releaseSnapshot(current);
    },
  };
}

function planCall(call: Call, applied: AppliedCall, snapshot: GatewaySnapshot): RoutePlan {
  if (call.relayed === undefined) return snapshot.route(applied.body, call.dialect);
  return planRelayedCall(call, call.relayed, applied, snapshot);
}

/**
 * Only calls that would be missed if the preset were gone: not drafts, and not what people try out
 * in the dashboard.
 */
function recordCall({ caller, trace }: Call, { recordCall: record }: GatewayOptions): void {
  const version = trace.preset?.version;
  if (version === undefined || version.version === 'draft' || caller.kind === 'session') return;
  record(version.presetId);
}

/** For tokens that presetd counts itself, it describes the call whose tokens they are. */
function sendDryRun(call: Call, applied: AppliedCall, plan: RoutePlan, options: GatewayOptions): void {
  const [first] = plan.candidates;
  if (first === undefined) throw new Error('the route plan has no candidates');
  const { relayed: _, ...plain } = call;
  const text = describeDryRun(
    needsTokenEstimate(call, first) ? plain : call,
    applied,
    plan,
    options.userAgent,
  );
  new ClientResponse(call, first, options.measurements).sendJson(text);
}
