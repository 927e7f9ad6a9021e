import { defineConfig } from 'vitest/config';
import { unit } from '../../vitest.config.ts';

/** Isolated: a fault in code that runs on loading a module takes effect only if it reloads. */
export default defineConfig({ test: { ...unit, isolate: true } });
