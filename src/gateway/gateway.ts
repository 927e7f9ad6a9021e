import { type AppliedCall, applyPreset } from './apply-preset.ts';
import { tryCandidates } from './attempts.ts';
import type { Call } from './call.ts';
import { ClientAnswer } from './client-answer.ts';
import { describeDryRun } from './dry-run.ts';
import { configure, type GatewayOptions, release } from './gateway-snapshot.ts';
import type { Plan } from './router.ts';
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
  let current = configure(options.settings, options.userAgent);

  return {
    async handle(call) {
      const snapshot = current;
      snapshot.calls += 1;
      try {
        const found = applyPreset(call, options.resolve);
        const applied = found instanceof Promise ? await found : found;
        const plan = snapshot.route(applied.body, call.dialect);
        if (call.trace.isDryRun) answerDryRun(call, applied, plan, options);
        else await tryCandidates({ call, applied, plan, snapshot, options });
      } finally {
        snapshot.calls -= 1;
        if (snapshot.isRetired && snapshot.calls === 0) void release(snapshot);
      }
    },
    reload(settings) {
      const before = current;
      current = configure(settings, options.userAgent, before);
      before.isRetired = true;
      if (before.calls === 0) void release(before);
    },
    get settings() {
      return current.settings;
    },
    close: () => release(current),
  };
}

function answerDryRun(call: Call, applied: AppliedCall, plan: Plan, options: GatewayOptions): void {
  const [first] = plan.candidates;
  if (first === undefined) throw new Error('a plan without a candidate');
  const text = describeDryRun(call, applied, plan, options.userAgent);
  new ClientAnswer(call, first.upstream, options.measurements).tell(text);
}
