import { isIPv6 } from 'node:net';
import { Command } from 'commander';
import { oneLine } from '../client/printable.ts';
import { loadClientConfig } from '../client-config.ts';
import { settings } from '../config.ts';
import { type Environment, parseSettings, readEnvironment, wrongSettings } from '../settings.ts';
import { connectionError, parseErrorBody } from './api-errors.ts';
import { CommandError, UsageError } from './command-error.ts';
import { print } from './output.ts';

const patienceMs = 5_000;

export function healthCommand(): Command {
  return new Command('health')
    .option('--live', 'only whether it answers, not whether its database does')
    .action(health);
}

async function health({ live }: { readonly live?: true }): Promise<void> {
  const environment = readEnvironment();
  const url = environment.PRESETD_URL ? loadClientConfig(environment).url : localServerUrl(environment);
  const { status, ok, text } = await ask(url, live ? '/healthz' : '/readyz');
  const state = live ? 'alive' : 'ready';
  if (ok) return print(state);
  const said = parseErrorBody(text)?.error.message;
  const reason = said === undefined ? '.' : `: ${oneLine(said)}`;
  throw new CommandError(`The server at ${url} is not ${state} (${status})${reason}`, {
    kind: status >= 500 ? 'unavailable' : 'failure',
    status,
  });
}

async function ask(url: string, path: string): Promise<{ status: number; ok: boolean; text: string }> {
  try {
    const answer = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(patienceMs) });
    return { status: answer.status, ok: answer.ok, text: await answer.text() };
  } catch (error) {
    throw connectionError(url, error, patienceMs);
  }
}

/** Where a server with these settings listens: it is asked on its own machine, or in its container. */
export function localServerUrl(environment: Environment): string {
  const { values, problems } = parseSettings({ HOST: settings.HOST, PORT: settings.PORT }, environment);
  if (problems.length > 0) throw wrongSettings(problems);
  const { HOST: host, PORT: port } = values;
  if (port === 0)
    throw new UsageError('PORT is 0, so the server chose one itself: set PRESETD_URL to its address.');
  const reached = everyAddress[host] ?? host;
  return `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

const everyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
