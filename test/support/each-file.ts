import { releaseAfterFile } from './test-scope.ts';

// A setup file of vitest.config.ts, which runs before each test file.
releaseAfterFile();
