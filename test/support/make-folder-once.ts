import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Has a folder made unless it is there. It gets its name when it is complete, so that neither an interruption nor
 * another process that makes the same leaves half of one.
 */
export async function makeFolderOnce(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  try {
    await make(draft);
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster, and has made the same.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
