import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url));

/**
 * Joins the sources into a few files for the package, because loading 450 of them takes a third of a
 * server's start. Packages stay outside.
 */
export default defineConfig({
  build: {
    ssr: true,
    target: 'node24',
    outDir: 'dist',
    minify: false,
    rolldownOptions: {
      input: { run: source('cli/run.ts'), 'tokenizer-worker': source('gateway/tokens/tokenizer-worker.ts') },
      // In one folder, like the modules directly in `src`: the paths of both mean the same.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
