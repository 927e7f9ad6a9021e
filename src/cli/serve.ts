import cluster, { type Worker } from 'node:cluster';
import { closeSync, openSync } from 'node:fs';
import { styleText } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import type { Logger } from 'pino';
import type { ConnectedPeers, ReadyWorker } from '../cluster/worker-peers.ts';
import {
  type Config,
  loadConfig,
  type ReloadableConfig,
  unknownVariables,
  workerCount,
  workerSettings,
} from '../config/server-config.ts';
import { ConfigError, type Environment, readEnvironment } from '../config/settings.ts';
import { linkUrl } from '../core/accounts/sign-in-link.ts';
import { oneLine } from '../core/text/printable.ts';
import type { RunningServer } from '../main.ts';
import { createLogger, isPretty } from '../observability/logger.ts';
import { productVersion } from '../package.ts';
import { describeDatabase } from '../storage/open.ts';

/**
 * Runs the server, in one of three roles. A single process serves alone. With several workers this
 * process becomes the supervisor and starts each worker by running the same command again, which
 * finds itself in a cluster. All roles treat signals alike: SIGTERM and SIGINT drain and stop,
 * SIGHUP reloads the upstreams and the sign-in providers.
 */

interface ServeOptions {
  readonly workers?: string;
}

/** The target of signals: the server itself or, in the supervisor, all workers. */
interface Stoppable {
  /** Resolves to false if in-flight requests were cut off. */
  stop(): Promise<boolean>;
  reload(): void;
}

export function serveCommand(): Command {
  return new Command('serve')
    .option(
      '--workers <count>',
      'Number of worker processes, or "auto" for one per core (overrides PRESETD_WORKERS)',
      parseWorkers,
    )
    .action(serve);
}

/**
 * Also checked with the settings, but there the message would name PRESETD_WORKERS, not the option.
 */
function parseWorkers(text: string): string {
  try {
    workerCount(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError(`The count ${error instanceof Error ? error.message : error}.`);
  }
}

async function serve({ workers }: ServeOptions): Promise<void> {
  const environment = {
    ...readEnvironment(),
    ...(workers !== undefined && { PRESETD_WORKERS: workers }),
  };
  const config = loadConfig(environment);
  const { logLevel: level, logFormat: format } = config;
  const logger = createLogger({ level, format, isShared: config.workers > 1 });
  if (cluster.worker !== undefined) await serveAsWorker(cluster.worker, config, logger);
  else if (config.workers > 1) await supervise(config, environment, logger);
  else await serveAlone(config, environment, logger);
}

async function serveAlone(config: Config, environment: Environment, logger: Logger): Promise<void> {
  const server = await start(config, logger);
  announce(server, config, environment, logger);
  server.checkWorkspaces(config.signIn);
}

/** The supervisor announces the server; a worker only reports to it. */
async function serveAsWorker(worker: Worker, config: Config, logger: Logger): Promise<void> {
  const { connectPeers } = await import('../cluster/worker-peers.ts');
  const peers = connectPeers(worker);
  // A worker that replaces another must use the settings of its peers, not those now in the files.
  const current = await peers.currentSettings();
  peers.reportReady(await start({ ...config, ...current }, logger, peers));
}

async function start(config: Config, logger: Logger, peers?: ConnectedPeers): Promise<RunningServer> {
  // Imported here because a supervisor does not need the web server.
  const { startServer } = await import('../main.ts');
  const server = await startServer(config, logger, peers);
  handleSignals(config, logger, {
    async stop() {
      await server.stop();
      return true;
    },
    reload: peers?.broadcastHangUp ?? (() => reload(server, config, logger)),
  });
  return server;
}

async function supervise(config: Config, environment: Environment, logger: Logger): Promise<void> {
  const { superviseWorkers } = await import('../cluster/supervisor.ts');
  const supervisor = await superviseWorkers(config, workerSettings(environment), logger);
  // Before the workers are ready: one may already have stored the first keys, which can be shown
  // only once. A signal at this point must not lose them.
  handleSignals(config, logger, { stop: supervisor.stop, reload: () => reload(supervisor, config, logger) });
  const first = await supervisor.first;
  await supervisor.ready.catch((error: unknown) => {
    if (first.firstKeys !== undefined) announce(first, config, environment, logger);
    throw error;
  });
  announce(first, config, environment, logger);
  supervisor.checkWorkspaces(config.signIn);
}

/**
 * Prints where the server listens, its first keys and warnings about the settings. On a terminal
 * the keys come last, where no log line scrolls them away. Otherwise the banner comes first,
 * because scripts wait for it.
 */
function announce(ready: ReadyWorker, config: Config, environment: Environment, logger: Logger): void {
  const warn = () => {
    warnAboutUnknownVariables(environment, config, logger);
    warnAboutMissingSecrets(config, logger);
    warnAboutMissingUrl(config, logger);
  };
  if (isPretty(config.logFormat)) {
    warn();
    logger.flush(() => process.stdout.write(terminalBanner(ready, config)));
  } else {
    // Signal handlers are installed by now: a script may send a signal as soon as it sees this.
    process.stdout.write(plainBanner(ready, config));
    warn();
  }
}

/**
 * Installs the handlers for the rest of the process's life. The first SIGTERM or SIGINT starts the
 * drain and later ones are ignored. If the drain exceeds the shutdown timeout, or a request was cut
 * off, the exit code is 1.
 */
function handleSignals(config: Config, logger: Logger, server: Stoppable): void {
  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: finishing in-flight requests');
    const shutdownTimer = setTimeout(() => {
      logger.error(`in-flight requests did not finish within ${config.shutdownTimeoutMs} ms`);
      logger.flush(() => process.exit(1));
    }, config.shutdownTimeoutMs);
    const isComplete = await server.stop();
    clearTimeout(shutdownTimer);
    logger.info('stopped');
    logger.flush(() => process.exit(isComplete ? 0 : 1));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', (signal) => {
    if (isTerminalClosed()) stop(signal);
    else if (!isStopping) server.reload();
  });
}

/** SIGHUP also means that the terminal was closed. Then nobody watches the server, and it stops. */
function isTerminalClosed(): boolean {
  // The supervisor decides for its workers.
  if (cluster.isWorker || !process.stdin.isTTY) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    return true;
  }
}

/**
 * Only the upstreams and the sign-in providers, with their secrets, can change while the server
 * runs; other settings need a restart.
 */
function reload(
  server: Pick<RunningServer, 'reload' | 'checkWorkspaces'>,
  running: Config,
  logger: Logger,
): void {
  try {
    const { gateway, signIn, publicUrl } = loadConfig(readEnvironment());
    server.reload({ gateway, signIn });
    const upstreams = gateway.upstreams.map(({ name }) => name);
    const providers = signIn.providers.map(({ id }) => id);
    logger.info({ upstreams, providers }, 'reloaded the upstreams and the sign-in providers');
    server.checkWorkspaces(signIn);
    warnAboutMissingSecrets({ gateway, signIn }, logger);
    if (publicUrl?.href === running.publicUrl?.href) warnAboutMissingUrl({ signIn, publicUrl }, logger);
    else
      logger.warn(
        { variable: 'PRESETD_PUBLIC_URL' },
        'PRESETD_PUBLIC_URL has changed: restart the server to use the new value',
      );
  } catch (error) {
    // A mistake in the new settings must not stop a server that works.
    const reason = error instanceof ConfigError ? { problems: error.problems } : { err: error };
    logger.error(
      reason,
      'not reloaded: keeping the current upstreams and sign-in providers because the settings are invalid',
    );
  }
}

/** Most likely misspelled settings, which would otherwise be ignored silently. */
function warnAboutUnknownVariables(environment: Environment, config: ReloadableConfig, logger: Logger): void {
  const variables = unknownVariables(environment, config);
  if (variables.length > 0)
    logger.warn(
      { variables },
      `ignoring unknown settings: ${variables.join(', ')}; docs/config.md lists all settings`,
    );
}

function warnAboutMissingSecrets({ gateway, signIn }: ReloadableConfig, logger: Logger): void {
  for (const { id, clientSecret } of signIn.providers)
    if (clientSecret !== undefined && clientSecret.secret === undefined)
      logger.warn(
        { provider: id, variable: clientSecret.variable },
        `${clientSecret.variable} is not set: nobody can sign in with ${id}`,
      );
  for (const { name, key } of gateway.upstreams)
    if (key !== undefined && key.secret === undefined)
      logger.warn(
        { upstream: name, variable: key.variable },
        `${key.variable} is not set: requests to upstream ${name} fail with 424`,
      );
}

/** Providers accept only redirect URIs that they know, and clients can send any host. */
function warnAboutMissingUrl(
  { signIn, publicUrl }: Pick<Config, 'signIn' | 'publicUrl'>,
  logger: Logger,
): void {
  const providers = signIn.providers.map(({ id }) => id);
  if (providers.length > 0 && publicUrl === undefined)
    logger.warn(
      { providers, variable: 'PRESETD_PUBLIC_URL' },
      'PRESETD_PUBLIC_URL is not set: redirect URIs begin with the host of each request; set it to the address in the browser, such as https://presets.example.com',
    );
}

/**
 * For logs and scripts, which find the address in its first line by "listens on": do not change
 * those words.
 */
function plainBanner(ready: ReadyWorker, config: Config): string {
  const lines = [`${listening(ready, config)}. Open it in a browser; API reference: ${ready.url}/docs`];
  const keys = firstKeyLines(ready, config);
  if (keys.length > 0)
    lines.push('', 'First start. These keys are shown only once and stored as hashes:', ...keys);
  const link = firstLink(ready, config);
  if (link !== undefined) lines.push('', `${linkNotice(config)}:`, `  ${link}`, '');
  return `${lines.join('\n')}\n`;
}

/** For a terminal: set apart from the log lines above it, with the keys and the link last. */
function terminalBanner(ready: ReadyWorker, config: Config): string {
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout });
  const { url } = ready;
  const lines = [
    '',
    `  ${bold(oneLine(listening(ready, config)))}`,
    `  Open ${url} in a browser. API reference: ${url}/docs`,
    '',
  ];
  const keys = firstKeyLines(ready, config);
  if (keys.length > 0)
    lines.push('  First start. Copy these keys now: they are not shown again.', '', ...keys.map(bold), '');
  const link = firstLink(ready, config);
  if (link !== undefined) lines.push(`  ${linkNotice(config)}:`, '', bold(`  ${link}`), '');
  return `${lines.join('\n')}\n`;
}

function linkNotice({ bootstrap }: Config): string {
  return `To sign in as ${oneLine(bootstrap.owner.email)}, open this link within 15 minutes; it works once`;
}

/** The link that the first start on a database creates. A wildcard address cannot be opened. */
function firstLink({ firstKeys, url }: ReadyWorker, { publicUrl }: Config): string | undefined {
  if (firstKeys === undefined) return undefined;
  const ownUrl = url.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, '//localhost');
  return linkUrl(publicUrl?.origin ?? ownUrl, firstKeys.linkToken);
}

function listening({ url }: ReadyWorker, config: Config): string {
  const workers = config.workers === 1 ? '' : `, ${config.workers} workers`;
  return `presetd ${productVersion} listens on ${url} (${describeDatabase(config.storage.database)}${workers})`;
}

/**
 * One line per key that the first start on a database created. Empty on later starts, and if both
 * keys were set in the environment: those are never printed.
 */
function firstKeyLines({ firstKeys }: ReadyWorker, { bootstrap }: Config): readonly string[] {
  const { apiKey, managementKey } = bootstrap;
  if (firstKeys === undefined || (apiKey !== undefined && managementKey !== undefined)) return [];
  return [
    `  API key         ${apiKey === undefined ? firstKeys.apiKey : 'set by PRESETD_BOOTSTRAP_API_KEY'}`,
    `  Management key  ${managementKey === undefined ? firstKeys.managementKey : 'set by PRESETD_BOOTSTRAP_MANAGEMENT_KEY'}`,
  ];
}
