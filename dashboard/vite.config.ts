import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    target: 'es2024',
    outDir: 'dist',
    emptyOutDir: true,
    // The pages may load nothing but files of their own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Whoever gets the pages in a package gets other people's work with them, whose licenses ask to be passed on.
    license: { fileName: 'licenses.md' },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:7778' } },
});
