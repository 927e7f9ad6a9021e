#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old for the rest can still say so.
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

const { run } = await import('../src/cli/run.ts');
await run(process.argv.slice(2));
