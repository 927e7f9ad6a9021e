import type { Stop } from './completion.ts';

/**
 * Makes a stop agree with the content: clients run tools only if the reason says so, and wait for
 * nothing if it says so without a call. Some providers report `stop` after tool calls, and
 * responses never mentions them. A limit or a filter keeps its reason, because the last call may be
 * incomplete.
 */
export function agreeWithCalls(stop: Stop, hasToolCalls: boolean): Stop {
  if (stop.reason === 'end' && hasToolCalls) return { reason: 'tool-calls' };
  if (stop.reason === 'tool-calls' && !hasToolCalls) return { reason: 'end' };
  return stop;
}

/** The parts of a stop that neither OpenAI dialect can express, as paths in the source. */
export function stopLosses({ reason, sequence, original }: Stop): readonly string[] {
  return [
    ...(reason === 'pause' ? ['stop_reason'] : []),
    ...(sequence === undefined
      ? []
      : [original === 'stop_sequence' ? 'stop_sequence' : 'choices.*.stop_reason']),
  ];
}
