import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabaseFile, moveIntoPlace } from './new-database-file.ts';

const options = { hint: 'Move it away.', isForServer: true };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presetd-test-'));
  path = join(folder, 'presetd.db');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe('a new database file', () => {
  it('a new database file gets its name when complete, without leftovers', async () => {
    await createDatabaseFile(path, async (draft) => writeFileSync(draft, 'restored'), options);
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['presetd.db'], 'restored']);
  });

  it.each(['', '-wal', '-shm', '-journal'])(
    'a new database file does not replace a presetd.db%s that appears meanwhile',
    async (suffix) => {
      const creating = createDatabaseFile(
        path,
        async (draft) => {
          writeFileSync(draft, 'restored');
          writeFileSync(`${path}${suffix}`, 'of a server');
        },
        options,
      );
      await expect(creating).rejects.toThrow(`${path}${suffix} already exists. Move it away.`);
      expect(readdirSync(folder)).toEqual([`presetd.db${suffix}`]);
      expect(readFileSync(`${path}${suffix}`, 'utf8')).toBe('of a server');
    },
  );

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])(
    'a new database file works without hard links (%s), and replaces nothing there either',
    async (code) => {
      const failToLink = () => Promise.reject(Object.assign(new Error(code), { code }));
      const draft = join(folder, 'draft');
      writeFileSync(draft, 'restored');
      await moveIntoPlace(draft, path, options.hint, failToLink);
      expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['presetd.db'], 'restored']);
      writeFileSync(draft, 'another');
      await expect(moveIntoPlace(draft, path, options.hint, failToLink)).rejects.toThrow('already exists');
      expect(readFileSync(path, 'utf8')).toBe('restored');
    },
  );

  it('a new database file that cannot be moved leaves no empty file in its place', async () => {
    const failToLink = () => Promise.reject(Object.assign(new Error(), { code: 'EPERM' }));
    const moving = moveIntoPlace(join(folder, 'absent'), path, options.hint, failToLink);
    await expect(moving).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});
