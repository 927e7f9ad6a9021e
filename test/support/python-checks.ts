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

/** Runs a script against a server. It prints one JSON line per check. */
export async function runChecks(
  script: string,
  server: { readonly url: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<CheckResults> {
  const { stdout } = await python([join(pythonFolder, script)], {
    PRESETD_URL: server.url,
    PRESETD_API_KEY: apiKey,
    PRESETD_MANAGEMENT_KEY: managementKey,
    ...environment,
  });
  const reports: readonly { title: string; failure: string | null }[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return new Map(reports.map(({ title, failure }) => [title, failure]));
}

/** Reads the titles from the source, because Vitest needs them before anything has run. */
function titlesIn(script: string): readonly string[] {
  const source = readFileSync(join(pythonFolder, script), 'utf8');
  return [...source.matchAll(/^@check\("(.+)"\)$/gm)].map(([, title = '']) => title);
}
