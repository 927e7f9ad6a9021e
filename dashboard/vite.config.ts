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
    // The content security policy allows no data: URLs, so assets must stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The package redistributes other projects' code, and their licenses require a copy.
    license: { fileName: 'licenses.md' },
  },
  // `npm run dev:dashboard` proxies API calls to a server started on its default port.
  server: { proxy: { '/api': 'http://127.0.0.1:7778' } },
});
