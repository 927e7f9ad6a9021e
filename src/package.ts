import { readFileSync } from 'node:fs';

/** The folder of package.json, one level up in a checkout and in the package alike. */
export const packageRoot = new URL('../', import.meta.url);

const manifest = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as {
  version: string;
};

export const productVersion = manifest.version;
