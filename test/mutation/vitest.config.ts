import { defineConfig } from 'vitest/config';
import { unit } from '../../vitest.config.ts';

/** Isolated: a fault in code that runs while its module loads takes effect only if it loads again. */
export default defineConfig({ test: { ...unit, isolate: true } });
