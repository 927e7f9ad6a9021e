import type { Command } from 'commander';
import { oneLine } from '../core/printable.ts';
import type { ApiClient } from './api-client.ts';
import type { ApiOptions } from './api-command.ts';
import { ifFound } from './command-error.ts';
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
  /** The question to the user, such as "Make it live". */
  readonly question: string;
}

/**
 * Returns if the move breaks no call or the user wants it anyway. Without a terminal only `--yes`
 * says so.
 */
export async function confirmBrokenCalls(
  api: ApiClient,
  slug: string,
  { from, to, question }: Move,
  { yes, json }: ConfirmOptions,
): Promise<void> {
  const broken = from === to ? [] : await fetchBrokenCalls(api, slug, from, to);
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

async function describeLastCall(api: ApiClient, slug: string): Promise<readonly string[]> {
  const usage = await ifFound(api.call('GET /presets/:slug/usage', { params: { slug } }));
  const calledAt = usage?.content.data.last_called_at;
  if (calledAt === undefined) return [];
  return [calledAt === null ? 'It was never called.' : `It was last called on ${shortTime(calledAt)}.`];
}
