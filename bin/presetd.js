#!/usr/bin/env node
// Plain JavaScript without new syntax: a Node.js that is too old for the rest must still be able to
// run this file, and start a newer Node.js or explain that it needs one.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInNode, stopWithParent } from './run-in-node.js';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const args = process.argv.slice(2);

// 24.7 is the first with argon2 in node:crypto, which hashes passwords.
if (major > 24 || (major === 24 && minor >= 7)) await runHere();
else await runInNewerNode();

async function runHere() {
  stopWithParent();
  // The compile cache halves the startup time of a command. It lives inside the installation, so
  // only those who can change the program can change the cache. If it is not writable, there is no
  // cache.
  const { enableCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/presetd', import.meta.url)));

  // A checkout runs the TypeScript sources. The package has JavaScript, because Node.js does not
  // strip types from files in node_modules.
  const isCheckout = existsSync(new URL('../src/cli/run.ts', import.meta.url));
  const { run } = await import(isCheckout ? '../src/cli/run.ts' : '../dist/run.js');
  await run(args);
}

async function runInNewerNode() {
  const node = findNewerNode();
  if (node === undefined)
    return fail(
      'On Linux (x64, arm64), npm installs one as an optional dependency: reinstall without omitting those.',
      'On other systems, install Node.js 24.7 or newer.',
    );
  try {
    await runInNode(node, fileURLToPath(import.meta.url), args);
  } catch (error) {
    fail(
      `The one that npm installed with presetd cannot be started: ${error.message}.`,
      'Install Node.js 24.7 or newer.',
    );
  }
}

/**
 * The Node.js of an optional dependency, of which npm installs the one for this machine. Else
 * undefined.
 */
function findNewerNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

function fail(...hints) {
  console.error([`presetd requires Node.js 24.7 or newer; this is ${process.version}.`, ...hints].join('\n'));
  process.exitCode = 1;
}
