import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDatabaseFile, moveIntoPlace } from './new-database-file.ts';

const options = { advice: 'Move it away.', isForServer: true };
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presetd-test-'));
  path = join(folder, 'presetd.db');
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

describe('a new database file', () => {
  it('has its name when it is whole, and nothing else is left', async () => {
    await createDatabaseFile(path, async (draft) => writeFileSync(draft, 'restored'), options);
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['presetd.db'], 'restored']);
  });

  it.each(['', '-wal', '-shm', '-journal'])(
    'leaves alone what somebody made meanwhile: presetd.db%s',
    async (suffix) => {
      const making = createDatabaseFile(
        path,
        async (draft) => {
          writeFileSync(draft, 'restored');
          writeFileSync(`${path}${suffix}`, 'of a server');
        },
        options,
      );
      await expect(making).rejects.toThrow(`${path}${suffix} is there already, and is left as it is.`);
      expect(readdirSync(folder)).toEqual([`presetd.db${suffix}`]);
      expect(readFileSync(`${path}${suffix}`, 'utf8')).toBe('of a server');
    },
  );

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP'])(
    'is made where no file has two names (%s), and leaves others alone there too',
    async (code) => {
      const refuse = () => Promise.reject(Object.assign(new Error(code), { code }));
      const draft = join(folder, 'draft');
      writeFileSync(draft, 'restored');
      await moveIntoPlace(draft, path, options.advice, refuse);
      expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['presetd.db'], 'restored']);
      writeFileSync(draft, 'another');
      await expect(moveIntoPlace(draft, path, options.advice, refuse)).rejects.toThrow('is there already');
      expect(readFileSync(path, 'utf8')).toBe('restored');
    },
  );
});
