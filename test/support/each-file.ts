import { releaseAfterFile } from './test-scope.ts';

releaseAfterFile();
