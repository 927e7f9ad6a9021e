import { type Chromium, launchChromium } from './launch-chromium.ts';
import { packagedChromium } from './packaged-chromium.ts';
import { debianChromium, systemChromium } from './system-chromium.ts';

/** A place where there may be one; undefined where there is none. */
export interface ChromiumSource {
  readonly name: string;
  find(): Promise<Chromium | undefined>;
}

const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** In the order in which they are asked. The last two bring what is not there. */
const sources: readonly ChromiumSource[] = [
  ...commands.map((name) => ({ name: `the command ${name}`, find: async () => systemChromium(name) })),
  { name: 'the npm package', find: packagedChromium },
  { name: "Debian's package", find: debianChromium },
];

/**
 * The one that PRESETD_TEST_CHROMIUM names, else the first that starts: one that is there and does not start, like a
 * command that only tells how to install it, is passed over.
 */
export async function findChromium(
  from: readonly ChromiumSource[] = sources,
  named = process.env.PRESETD_TEST_CHROMIUM ?? '',
): Promise<Chromium> {
  if (named !== '') return namedChromium(named);
  const failures: string[] = [];
  for (const { name, find } of from) {
    try {
      const found = await find();
      if (found !== undefined) return await tried(found);
    } catch (error) {
      failures.push(`\n- ${name}: ${messageOf(error)}`);
    }
  }
  throw new Error(
    'No Chromium for the browser tests. Install Chromium or Google Chrome so that it is on the PATH, name its ' +
      'executable in PRESETD_TEST_CHROMIUM, or set PRESETD_TEST_BROWSER=none to test without a browser.' +
      failures.join(''),
  );
}

async function namedChromium(executablePath: string): Promise<Chromium> {
  try {
    return await tried({ executablePath, environment: {} });
  } catch (error) {
    throw new Error(
      `PRESETD_TEST_CHROMIUM must be the path of a Chromium that starts, and is "${executablePath}". ${messageOf(error)}`,
    );
  }
}

async function tried(chromium: Chromium): Promise<Chromium> {
  const browser = await launchChromium(chromium);
  await browser.close();
  return chromium;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
