#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old for the rest can still say so.
import { fileURLToPath } from 'node:url';

const [major = 0] = process.versions.node.split('.').map(Number);

if (major < 24) {
  console.error(
    [
      `presetd needs Node.js 24 or newer; this is ${process.version}.`,
      'On Linux "npm ci" brings one along, unless optional packages are left out, and npm uses it in a checkout:',
      '  npm start',
      '  npm exec presetd -- <command>',
      'Elsewhere install Node.js 24 or newer.',
    ].join('\n'),
  );
  process.exit(1);
}

// What was compiled once is kept, which makes a command start in half the time. It lies where only those can write
// who could change the program itself; where nobody can, it is compiled each time.
const { enableCompileCache } = await import('node:module');
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/presetd', import.meta.url)));

const { run } = await import('../src/cli/run.ts');
await run(process.argv.slice(2));
