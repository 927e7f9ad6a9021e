export default {
  testRunner: 'vitest',
  // Threads reject the Node.js options of our tests.
  vitest: { configFile: 'test/mutation/vitest.config.ts', pool: 'forks' },
  // It would rewrite one with the API of TypeScript, which version 7 does not have.
  tsconfigFile: 'none',
  // Most strings are texts, and tsc checks most of the others.
  mutator: { excludedMutations: ['StringLiteral'] },
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
  allowConsoleColors: process.stdout.isTTY === true,
  cleanTempDir: 'always',
};
