import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isolateEnvironment } from './test/support/isolated-environment.ts';

isolateEnvironment();

/**
 * More workers than cores: many tests wait for timeouts, processes and databases. Load modules once
 * per worker instead of once per file, which is safe because no module keeps state from one test to
 * the next. A large space for new objects saves a tenth of the CPU time, which collecting them takes.
 */
const shared = {
  maxWorkers: availableParallelism() * 2,
  isolate: false,
  setupFiles: ['test/support/empty-directory.ts'],
  execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
};

/** `npm run proof` runs one file of test/proof at a time, for as long as it takes. */
const isLong = process.env.PROOF === 'long';

/**
 * For tests that start servers, databases and browsers. The timeouts only end tests that hang. A
 * passing test never waits for one, so they are long enough for a very busy machine.
 */
const slow = {
  ...shared,
  fileParallelism: !isLong,
  setupFiles: [...shared.setupFiles, 'test/support/each-file.ts'],
  testTimeout: isLong ? 3_600_000 : 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/**
 * Vitest starts large files first if it has not measured them, as after `npm ci`. Some of the longest
 * tests are in small files: started last, they would run alone for a minute.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longInSmallFiles.test(moduleId);
    return (await super.sort(files)).sort((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

const longInSmallFiles =
  /(browser\/(day|workbench-typing|many-presets)|contract\/postgres-network|proof\/(budgets|deployment))\.test\.ts$/;

/** `npm run mutate` runs these, too. */
export const unit = {
  ...shared,
  name: 'unit',
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
  include: ['src/**/*.test.ts', 'dashboard/src/**/*.test.ts'],
  // Other style sheets are empty in tests; this one has a test of its own.
  css: { include: /tokens\.css/ },
};

/**
 * Modules that are loaded while another one is mocked keep the mock, so these files get workers of
 * their own. A mocked delay once made a later test of the same worker wait without end.
 */
const mocking = unit.include
  .flatMap((pattern) => globSync(pattern, { cwd: import.meta.dirname }))
  .filter((file) => /^vi\.mock\(/m.test(readFileSync(new URL(file, import.meta.url), 'utf8')));

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...unit, exclude: mocking } },
      { test: { ...unit, name: 'isolated', isolate: true, include: mocking } },
      {
        test: {
          ...slow,
          name: 'system',
          include: [isLong ? 'test/proof/**/*.test.ts' : 'test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
      {
        test: {
          ...slow,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/browser-setup.ts'],
          // Last: a browser uses several cores, and some of the other tests measure time.
          sequence: { groupOrder: 1 },
          // These tests wait less than others, and each worker has to load the dashboard once.
          maxWorkers: Math.ceil(availableParallelism() * 1.5),
        },
      },
    ],
  },
});
