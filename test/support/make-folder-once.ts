import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * For downloads that the tests unpack or install once. Outside the checkout, where `npm ci`
 * would delete them and every other checkout would need its own.
 */
export const cacheFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'presetd-test');

/**
 * Creates a folder unless it exists. `make` fills a draft, which is renamed when complete, so that
 * neither an interruption nor a concurrent process leaves an incomplete folder.
 */
export async function makeFolderOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  try {
    await make(draft);
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster and has created the same folder.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
