import { tryCandidates } from './attempts.ts';
import type { Call } from './call.ts';
import { ClientAnswer } from './client-answer.ts';
import { configure, type GatewayOptions, release } from './configured.ts';
import { describeDryRun } from './dry-run.ts';
import { type Intended, intendedRequest } from './intended-request.ts';
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
      const configured = current;
      configured.calls += 1;
      try {
        const found = intendedRequest(call, options.resolve);
        const intended = found instanceof Promise ? await found : found;
        const plan = configured.route(intended.body, call.dialect);
        if (call.trace.isDryRun) answerDryRun(call, intended, plan, options);
        else await tryCandidates({ call, intended, plan, configured, options });
      } finally {
        configured.calls -= 1;
        if (configured.isRetired && configured.calls === 0) void release(configured);
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

function answerDryRun(call: Call, intended: Intended, plan: Plan, options: GatewayOptions): void {
  const [first] = plan.candidates;
  if (first === undefined) throw new Error('a plan without a candidate');
  const text = describeDryRun(call, intended, plan, options.userAgent);
  new ClientAnswer(call, first.upstream, options.measurements).tell(text);
}
