import { isIPv6 } from 'node:net';
import { Command } from 'commander';
import { loadClientConfig } from '../config/client-config.ts';
import { settings } from '../config/server-config.ts';
import { type Environment, parseSettings, readEnvironment, settingsError } from '../config/settings.ts';
import { oneLine } from '../core/text/printable.ts';
import { connectionError, parseErrorBody } from './api-errors.ts';
import { CommandError, MisuseError } from './command-error.ts';
import { print } from './ui/output.ts';

/**
 * One second less than the health check in deploy/Dockerfile allows, so that the reason is still
 * printed.
 */
const timeoutMs = 5_000;

/** For health checks and scripts: the exit code is the result, and no key is needed. */
export function healthCommand(): Command {
  return new Command('health')
    .description(
      'Check whether the server at PRESETD_URL, or else at HOST and PORT, is ready to serve requests',
    )
    .option('--live', 'Check only that the process responds, not its database')
    .action(health);
}

async function health({ live }: { readonly live?: true }): Promise<void> {
  const environment = readEnvironment();
  const url = environment.PRESETD_URL ? loadClientConfig(environment).url : localServerUrl(environment);
  const { status, ok, text } = await probe(url, live ? '/healthz' : '/readyz');
  const state = live ? 'alive' : 'ready';
  if (ok) return print(state);
  const message = parseErrorBody(text)?.error.message;
  const reason = message === undefined ? '.' : `: ${oneLine(message)}`;
  throw new CommandError(`The server at ${url} is not ${state} (${status})${reason}`, {
    kind: status >= 500 ? 'unavailable' : 'failure',
    status,
  });
}

async function probe(url: string, path: string): Promise<{ status: number; ok: boolean; text: string }> {
  try {
    const response = await fetch(`${url}${path}`, { signal: AbortSignal.timeout(timeoutMs) });
    return { status: response.status, ok: response.ok, text: await response.text() };
  } catch (error) {
    throw connectionError({ url, urlSetting: 'PRESETD_URL' }, error, timeoutMs);
  }
}

/**
 * The address of a server that runs with the same settings on the same machine or in the same
 * container, so that a health check there needs no configuration.
 */
export function localServerUrl(environment: Environment): string {
  const { values, problems } = parseSettings({ HOST: settings.HOST, PORT: settings.PORT }, environment);
  if (problems.length > 0) throw settingsError(problems);
  const { HOST: host, PORT: port } = values;
  if (port === 0)
    throw new MisuseError('PORT is 0, so the server chose a port itself. Set PRESETD_URL to its address.');
  const address = loopbackOf[host] ?? host;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

/** A server on the wildcard address is reached through loopback. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
