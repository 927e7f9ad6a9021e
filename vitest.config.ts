import { defineConfig } from 'vitest/config';

/**
 * On every core, where Vitest by itself would leave one idle; and the modules are loaded once for all files of a worker,
 * since none of them keeps a state that a test could meet again.
 */
const shared = { maxWorkers: '100%', isolate: false };

/** `npm run proof`: one proof of test/proof at a time, as long as it takes. */
const isLong = process.env.PROOF === 'long';

/**
 * What starts servers, databases and browsers. The limits only end what hangs: a test that passes
 * never waits for one, so they are long enough for a machine that is busy with ten other things.
 */
const slow = {
  ...shared,
  fileParallelism: !isLong,
  setupFiles: ['test/support/each-file.ts'],
  testTimeout: isLong ? 3_600_000 : 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          include: ['src/**/*.test.ts', 'dashboard/src/**/*.test.ts'],
        },
      },
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
          // After the others: a browser uses more than one core, and some of those measure time.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
