import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createAuthenticator } from './core/authenticate.ts';
import { bootstrap, type FirstKeys } from './core/bootstrap.ts';
import { systemClock } from './core/clock.ts';
import { createKeyUses, useIntervalMs } from './core/key-uses.ts';
import { buildApp } from './http/app.ts';
import { productVersion } from './product-version.ts';
import { migrateStorage, openStorage } from './storage/open.ts';

export interface RunningServer {
  readonly url: string;
  /** Only on the very first start on a database. */
  readonly firstKeys: FirstKeys | undefined;
  /** Answers what was accepted, then lets go of the port and the database. */
  stop(): Promise<void>;
}

/** The composition root: config, then storage, then core, then HTTP. */
export async function startServer(config: Config, logger: Logger): Promise<RunningServer> {
  for (const { name } of await migrateStorage(config.storage)) logger.info({ migration: name }, 'migrated');
  const storage = await openStorage(config.storage);
  let app: FastifyInstance | undefined;
  const uses = createKeyUses(storage.keys);
  const writeUses = () =>
    uses
      .write()
      .catch((error: unknown) => logger.warn({ err: error }, 'the last use of keys is written later'));
  const timer = setInterval(writeUses, useIntervalMs);
  const stop = async () => {
    clearInterval(timer);
    await app?.close();
    await writeUses();
    await storage.close();
  };
  try {
    app = await buildApp({
      storage,
      authenticator: createAuthenticator(storage.keys, systemClock, config.keyCacheEntriesMax, uses),
      clock: systemClock,
      logger,
      bodyBytesMax: config.bodyBytesMax,
      presetCacheBytesMax: config.presetCacheBytesMax,
      rateLimitPerMinute: config.rateLimitPerMinute,
      authFailureLimitPerMinute: config.authFailureLimitPerMinute,
      trustedProxies: config.trustedProxies,
      version: productVersion,
    });
    await app.listen({ host: config.host, port: config.port });
    // Only now: keys that are made once must not be lost to a port that was taken.
    const firstKeys = await bootstrap(storage.organizations, systemClock, config.bootstrap);
    return {
      url: urlOf(app.server.address() as AddressInfo),
      firstKeys,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
