import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { buildDashboard } from '../support/build-dashboard.ts';
import { findChromium } from '../support/chromium.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { encodeAnimatedWebp, type Frame } from './animated-webp.ts';
import { openStage } from './stage.ts';
import { scenes } from './tour.ts';

/**
 * `npm run record:tour` records the tour of the README: it starts `presetd demo`, plays the
 * scenes in a real browser and writes docs/images/tour.webp. A scene that fails is reported and the
 * others go on; the exit code is then 1.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const size = { width: 1440, height: 900 };
const target = join(root, 'docs/images/tour.webp');

/** Eight frames a second are enough for a pointer, and small enough for a README. */
const frameMs = 125;
/** Waiting for the machine is not part of the show; reading is. */
const stillMsMax = 2_000;
const durationMsMax = 66_000;
/** A step that takes longer has failed. */
const stepMsMax = 20_000;

buildDashboard();
const demo = await startDemo();
const browser = await launchChromium(await findChromium());
try {
  const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', colorScheme: 'light' });
  await signIn(context, demo.link);
  const page = await context.newPage();
  page.setDefaultTimeout(stepMsMax);
  await page.goto(demo.address);
  // The first frame is what people see before the recording plays.
  await page.getByRole('table', { name: 'Presets' }).waitFor();
  const { frames, failures } = await record(page);
  const encoder = await browser.newPage();
  const picture = await encodeAnimatedWebp(encoder, frames);
  writeFileSync(target, picture);
  const seconds = Math.round(frames.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1_000);
  console.log(`${target}: ${seconds} s, ${frames.length} frames, ${Math.round(picture.length / 1024)} KiB`);
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  await browser.close();
  demo.stop();
}

/** Waits until it has printed the sign-in link, which also says where it leads. */
async function startDemo(): Promise<{ link: string; address: string; stop(): void }> {
  const child = spawn(process.execPath, [join(root, 'bin/presetd.js'), 'demo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(child.stdout)) {
    const link = /^http\S+#\S+$/.exec(line)?.[0];
    if (link === undefined) continue;
    const { origin, searchParams } = new URL(link);
    const address = `${origin}${searchParams.get('return_to') ?? '/'}`;
    return { link, address, stop: () => void child.kill() };
  }
  throw new Error('The demo did not start.');
}

async function signIn(context: BrowserContext, link: string): Promise<void> {
  const { origin, hash } = new URL(link);
  const headers = { 'sec-fetch-site': 'same-origin' };
  const response = await context.request.post(`${origin}/api/v1/sign-in/link`, {
    data: { token: hash.slice(1) },
    headers,
  });
  if (!response.ok()) throw new Error(`Cannot sign in: ${await response.text()}`);
}

async function record(page: Page): Promise<{ frames: readonly Frame[]; failures: readonly string[] }> {
  const session = await page.context().newCDPSession(page);
  const shots = await startScreencast(session);
  const stage = await openStage(page);
  const failures: string[] = [];
  for (const { caption, play } of scenes) {
    try {
      await stage.caption(caption);
      await play(stage);
    } catch (error) {
      failures.push(
        `Scene "${caption}" failed: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
      );
      await page.keyboard.press('Escape');
    }
  }
  await session.send('Page.stopScreencast');
  return { frames: timeFrames(shots), failures };
}

interface Shot {
  readonly png: string;
  readonly atMs: number;
}

/** The browser sends a picture whenever it has drawn something new. */
async function startScreencast(session: CDPSession): Promise<readonly Shot[]> {
  const shots: Shot[] = [];
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    shots.push({ png: data, atMs: (metadata.timestamp ?? Date.now() / 1_000) * 1_000 });
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  const format = { format: 'png', maxWidth: size.width, maxHeight: size.height } as const;
  await session.send('Page.startScreencast', format);
  return shots;
}

/** At most one picture per frame, each shown until the next; long waits are cut. */
function timeFrames(shots: readonly Shot[]): readonly Frame[] {
  const frames: { png: string; durationMs: number }[] = [];
  let shownAt = shots[0]?.atMs ?? 0;
  for (const [index, { png }] of shots.entries()) {
    const nextAt = shots[index + 1]?.atMs ?? shownAt + stillMsMax;
    if (nextAt - shownAt < frameMs) continue;
    frames.push({ png, durationMs: Math.min(nextAt - shownAt, stillMsMax) });
    shownAt = nextAt;
  }
  const total = frames.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const pace = Math.min(1, durationMsMax / total);
  return frames.map(({ png, durationMs }) => ({ png, durationMs: durationMs * pace }));
}
