import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { python, pythonFolder } from './python.ts';
import { apiKey, managementKey } from './server.ts';

/** The traceback of each check by title; null for one that passed. */
export type CheckResults = ReadonlyMap<string, string | null>;

/** Declares a test for each `@check("title")` in a script of test/python. */
export function reportChecks(script: string, results: () => CheckResults): void {
  const titles = titlesIn(script);

  it.each(titles)('%s', (title) => {
    if (!results().has(title)) expect.fail('the script did not run this check');
    expect(results().get(title)).toBeNull();
  });

  it('every Python check is reported as a test', () => {
    expect([...results().keys()]).toEqual(titles);
  });
}

/** A script, and the server that it uses. */
export interface CheckRun {
  readonly script: string;
  readonly server: { readonly url: string };
  readonly environment?: Readonly<Record<string, string>>;
}

interface Report {
  readonly script: string;
  readonly title: string;
  readonly failure: string | null;
}

/**
 * Runs scripts in one process, which imports each SDK once. They print one JSON line per check.
 * Returns a function that finds the results of a script.
 */
export async function runChecks(...runs: readonly CheckRun[]): Promise<(script: string) => CheckResults> {
  const list = runs.map(({ script, server, environment }) => ({
    script,
    environment: {
      PRESETD_URL: server.url,
      PRESETD_API_KEY: apiKey,
      PRESETD_MANAGEMENT_KEY: managementKey,
      ...environment,
    },
  }));
  const { stdout } = await python([join(pythonFolder, 'run_scripts.py'), JSON.stringify(list)]);
  const reports: readonly Report[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return (script) =>
    new Map(
      reports.filter((report) => report.script === script).map(({ title, failure }) => [title, failure]),
    );
}

/** Reads the titles from the source, because Vitest needs them before anything has run. */
function titlesIn(script: string): readonly string[] {
  const source = readFileSync(join(pythonFolder, script), 'utf8');
  return [...source.matchAll(/^@check\("(.+)"\)$/gm)].map(([, title = '']) => title);
}
