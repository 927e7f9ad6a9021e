import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { guides } from './guides-plugin.ts';

/**
 * Adds `saved-theme.js` as a script that blocks rendering. Vite bundles only modules, which run later,
 * and the content security policy allows no inline script. Like all assets, it has a hash in its name.
 */
function savedTheme(): Plugin {
  const source = 'src/app/saved-theme.js';
  const name = 'saved-theme.js';
  return {
    name: 'saved-theme',
    buildStart() {
      const text = readFileSync(new URL(source, import.meta.url), 'utf8');
      if (this.environment.mode === 'build') this.emitFile({ type: 'asset', name, source: text });
    },
    transformIndexHtml(_html, { bundle = {} }) {
      const built = Object.values(bundle).find((file) => file.type === 'asset' && file.names.includes(name));
      const src = `/${built?.fileName ?? source}`;
      return [{ tag: 'script', attrs: { src }, injectTo: 'head-prepend' }];
    },
  };
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), savedTheme(), guides()],
  build: {
    target: 'es2024',
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows no data: URLs, so assets must stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The package redistributes other projects' code, and their licenses require a copy.
    license: { fileName: 'licenses.md' },
    // The editor is larger than the default limit, but only pages that have one load it.
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One file for what every page loads. By default, modules that other pages use are split off.
            { name: 'index', tags: ['$initial'], priority: 1 },
            // With what it depends on. Browsers keep it when only the workbench changes.
            { name: 'editor', test: /node_modules\/@codemirror\// },
          ],
        },
      },
    },
  },
  // `npm run dev:dashboard` proxies API calls to a server started on its default port.
  server: { proxy: { '/api': 'http://127.0.0.1:7778' } },
});
