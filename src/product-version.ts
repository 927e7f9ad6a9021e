import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** From package.json, which is one level up in a checkout and in the package alike. */
export const productVersion = manifest.version;
