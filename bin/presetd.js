#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old for the rest can still say so.
const [major = 0] = process.versions.node.split('.').map(Number);

if (major < 24) {
  console.error(
    [
      `presetd needs Node.js 24 or newer; this is ${process.version}.`,
      'In a checkout, run it through npm, which uses the Node.js that "npm ci" brought along:',
      '  npm start',
      '  npm exec presetd -- <command>',
    ].join('\n'),
  );
  process.exit(1);
}

const { run } = await import('../src/cli/run.ts');
await run(process.argv.slice(2));
