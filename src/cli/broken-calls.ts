import type { Command } from 'commander';
import {
  type AffectedCalls,
  callerDays,
  callersAmong,
  callersQuery,
  describeKeys,
} from '../core/ledger/callers.ts';
import { formatAmount } from '../core/ledger/metric-text.ts';
import { oneLine } from '../core/text/printable.ts';
import type { ApiClient } from './api-client.ts';
import type { ApiOptions } from './api-command.ts';
import { CommandError, ifFound } from './command-error.ts';
import { askToGoAhead } from './confirm.ts';
import { printStderr } from './ui/output.ts';
import { shortTime } from './ui/text.ts';

/** Commands that make a version live or move a label ask before they break calls. */

export interface ConfirmOptions extends ApiOptions {
  readonly yes?: true;
}

export function withConfirmation(command: Command): Command {
  return command.option('-y, --yes', 'Do not ask, even if calls will fail');
}

interface Move {
  /** The version that calls get now. */
  readonly from: number;
  readonly to: number;
  readonly affects: AffectedCalls;
  /** The question to the user, such as "Make it live". */
  readonly question: string;
}

/**
 * Says who makes the calls that move. Returns if the move breaks none of them or the user wants it
 * anyway. Without a terminal only `--yes` says so.
 */
export async function confirmBrokenCalls(
  api: ApiClient,
  slug: string,
  { from, to, question, affects }: Move,
  { yes, json }: ConfirmOptions,
): Promise<void> {
  if (from === to) return;
  const callers = json ? undefined : describeCallers(api, slug, affects);
  const broken = await fetchBrokenCalls(api, slug, from, to);
  const callersLine = await callers;
  if (callersLine !== undefined) printStderr(callersLine);
  if (broken.length === 0) return;
  const explanation = [
    `Some calls to ${oneLine(slug)} that version ${from} accepts will fail with version ${to}:`,
    ...broken.map((line) => `  ${line}`),
    ...(await describeLastCall(api, slug)),
  ].join('\n');
  if (yes) {
    if (!json) printStderr(explanation);
  } else await askToGoAhead(explanation, `${question} anyway?`);
}

/** One line for each variable. Empty for servers before 0.8.0, which do not say. */
async function fetchBrokenCalls(
  api: ApiClient,
  slug: string,
  from: number,
  to: number,
): Promise<readonly string[]> {
  const { content } = await api.call('GET /presets/:slug/versions/:version/diff', {
    params: { slug, version: to },
    query: { against: String(from) },
  });
  return (content.data.warnings ?? []).map(({ path, message }) =>
    oneLine(`${path.replace(/^.*\//, '')} ${message}`),
  );
}

/**
 * "Called 1,204 times in the last 7 days by 2 keys: production, nightly." Undefined if it was not
 * called in the last 30 days. Also for servers before 0.8.0 and for keys that may not read usage:
 * neither keeps anybody from the change.
 */
async function describeCallers(
  api: ApiClient,
  slug: string,
  affects: AffectedCalls,
): Promise<string | undefined> {
  const withLabel = affects.isLive ? '' : ` with label ${affects.labels.join(', ')}`;
  try {
    const { id } = (await api.call('GET /presets/:slug', { params: { slug } })).content.data;
    for (const days of callerDays) {
      const body = callersQuery(id, days, Date.now());
      const callers = callersAmong(
        (await api.call('POST /analytics/query', { body })).content.data.data,
        affects,
      );
      if (callers === undefined) continue;
      const times = `${formatAmount(callers.calls)} ${callers.calls === 1 ? 'time' : 'times'}`;
      return `Called ${times}${withLabel} in the last ${days} days by ${oneLine(describeKeys(callers.keys))}.`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

async function describeLastCall(api: ApiClient, slug: string): Promise<readonly string[]> {
  const usage = await ifFound(api.call('GET /presets/:slug/usage', { params: { slug } }));
  const calledAt = usage?.content.data.last_called_at;
  if (calledAt === undefined) return [];
  return [calledAt === null ? 'It was never called.' : `It was last called on ${shortTime(calledAt)}.`];
}
