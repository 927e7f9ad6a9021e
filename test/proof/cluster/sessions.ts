import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { makeSession, ofSession } from '../../support/sessions.ts';
import { statusWithinOneSecond } from '../../support/status-within-one-second.ts';
import type { Cluster, Instance } from './cluster.ts';

/** Signs the owner in twice, and ends one of the two sessions. */
export interface SessionProbe {
  /** Responses with 401 so far. */
  readonly refusals: number;
  /**
   * Returns when every instance has cached both sessions and refuses the one that ended. All must
   * refuse it within a second.
   */
  endOne(): Promise<EndedSession>;
}

export interface EndedSession {
  /** Without its database, no instance accepts the session that ended, and all accept the other. */
  checkOutage(): Promise<void>;
  /** Every instance refuses the session that ended, and accepts the other. */
  check(): Promise<void>;
}

/** Sessions read this preset, which every instance has cached. */
export function createSessionProbe(cluster: Cluster, slug: string): SessionProbe {
  let refusals = 0;
  const read = async ({ url }: Instance, token: string) => {
    const response = await fetch(`${url}/api/v1/presets/${slug}`, { headers: ofSession(token) });
    await response.arrayBuffer();
    if (response.status === 401) refusals += 1;
    return response;
  };
  const statusOf = async (instance: Instance, token: string) => {
    for (;;) {
      const { status } = await read(instance, token);
      if (status !== 503) return status;
      await delay(50);
    }
  };
  const everywhere = <T>(attempt: (instance: Instance) => Promise<T>) =>
    Promise.all(cluster.instances.map(attempt));
  const all = (status: number) => cluster.instances.map(() => status);

  return {
    get refusals() {
      return refusals;
    },
    async endOne() {
      const [kept, ended] = [await signIn(cluster), await signIn(cluster)];
      for (const token of [kept, ended])
        expect(await everywhere((instance) => statusOf(instance, token))).toEqual(all(200));
      const response = await fetch(`${cluster.instances[0]?.url}/api/v1/sign-out`, {
        method: 'POST',
        headers: ofSession(ended),
      });
      expect(response.ok).toBe(true);
      const refused = await everywhere((instance) => statusWithinOneSecond(() => read(instance, ended)));
      expect(refused).toEqual(all(401));
      return {
        async checkOutage() {
          for (const { status } of await everywhere((instance) => read(instance, ended)))
            expect([401, 503]).toContain(status);
          for (const { status } of await everywhere((instance) => read(instance, kept)))
            expect(status).toBe(200);
        },
        async check() {
          expect(await everywhere((instance) => statusOf(instance, ended))).toEqual(all(401));
          expect(await everywhere((instance) => statusOf(instance, kept))).toEqual(all(200));
        },
      };
    },
  };
}

async function signIn({ primary }: Cluster): Promise<string> {
  const [owner] = await primary.sql('SELECT user_id FROM memberships LIMIT 1');
  const transaction = async (...statements: readonly string[]) => {
    await primary.sql(statements.join(';'));
  };
  return makeSession({ database: { transaction } }, String(owner?.user_id));
}
