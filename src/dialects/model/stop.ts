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

/** Why a response is not one, although it looks complete. */
export interface Failure {
  readonly status: number;
  readonly message: string;
}

/** `what` is the field that says so, in words, and `value` what it says. */
export function describeFailure(what: string, value: string, status = 502): Failure {
  const quoted = JSON.stringify(value.slice(0, quotedCharactersMax).toWellFormed());
  return {
    status,
    message: `The model did not finish its response: the upstream reported the ${what} ${quoted}. Send the request again.`,
  };
}

const quotedCharactersMax = 100;
