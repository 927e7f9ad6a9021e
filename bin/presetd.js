#!/usr/bin/env node
// Plain JavaScript, so that a Node.js too old for the rest can still start a newer one, or say that it needs one.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { endWithStarter, handOver } from './hand-over.js';

const [major = 0] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);

if (major >= 24) await runHere();
else await runInNewerNode();

async function runHere() {
  endWithStarter();
  // What was compiled once is kept, which makes a command start in half the time. It lies where only those can write
  // who could change the program itself; where nobody can, it is compiled each time.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/presetd', import.meta.url)));

  // A checkout has the TypeScript. The package has JavaScript made of it: Node.js strips no types in node_modules.
  const isCheckout = existsSync(new URL('../src/cli/run.ts', import.meta.url));
  const { run } = await import(isCheckout ? '../src/cli/run.ts' : '../dist/cli/run.js');
  await run(args);
}

async function runInNewerNode() {
  const node = findNewerNode();
  if (node === undefined)
    return refuse(
      'On Linux (x64, arm64) npm brings one along, unless it leaves out optional packages: install again with them.',
      'Elsewhere install Node.js 24 or newer.',
    );
  try {
    await handOver(node, fileURLToPath(import.meta.url), args);
  } catch (error) {
    refuse(
      `The one that npm brought along cannot be started: ${error.message}.`,
      'Install Node.js 24 or newer.',
    );
  }
}

/** Of the optional packages npm installs the one that is made for the machine. */
function findNewerNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function refuse(...advice) {
  console.error([`presetd needs Node.js 24 or newer; this is ${process.version}.`, ...advice].join('\n'));
  process.exitCode = 1;
}
