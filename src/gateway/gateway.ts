import type { Call } from './call.ts';
import { ClientResponse } from './client-response.ts';
import { describeDryRun } from './dry-run.ts';
import { createSnapshot, type GatewayOptions, releaseSnapshot } from './gateway-snapshot.ts';
import { type AppliedCall, resolveAndApplyPreset } from './resolve-and-apply-preset.ts';
import type { RoutePlan } from './router.ts';
import { tryCandidates } from './try-candidates.ts';
import type { GatewaySettings } from './upstreams/upstream.ts';

export interface Gateway {
  /** Answers the call; throws what is wrong with it while nothing has been sent. */
  handle(call: Call): Promise<void>;
  /** For calls from now on. Those under way end as they began. */
  reload(settings: GatewaySettings): void;
  readonly settings: GatewaySettings;
  close(): Promise<void>;
}

/** The way of a call: which preset, which upstream, there and back. */
export function createGateway(options: GatewayOptions): Gateway {
  let current = createSnapshot(options.settings, options.userAgent);

  return {
    async handle(call) {
      const snapshot = current;
      snapshot.inFlightCalls += 1;
      try {
        const found = resolveAndApplyPreset(call, options.resolve);
        const applied = found instanceof Promise ? await found : found;
        const plan = snapshot.route(applied.body, call.dialect);
        if (call.trace.isDryRun) answerDryRun(call, applied, plan, options);
        else await tryCandidates({ call, applied, plan, snapshot, options });
      } finally {
        snapshot.inFlightCalls -= 1;
        if (snapshot.isRetired && snapshot.inFlightCalls === 0) void releaseSnapshot(snapshot);
      }
    },
    reload(settings) {
      const before = current;
      current = createSnapshot(settings, options.userAgent, before);
      before.isRetired = true;
      if (before.inFlightCalls === 0) void releaseSnapshot(before);
    },
    get settings() {
      return current.settings;
    },
    close: () => releaseSnapshot(current),
  };
}

function answerDryRun(call: Call, applied: AppliedCall, plan: RoutePlan, options: GatewayOptions): void {
  const [first] = plan.candidates;
  if (first === undefined) throw new Error('a plan without a candidate');
  const text = describeDryRun(call, applied, plan, options.userAgent);
  new ClientResponse(call, first.upstream, options.measurements).sendJson(text);
}
