import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes a file for PRESETD_CONFIG to a temporary folder. */
export function writeUpstreams(upstreams: readonly object[], rest: object = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'presetd-upstreams-'));
  const path = join(directory, 'presetd.json');
  writeFileSync(path, JSON.stringify({ upstreams, ...rest }));
  return { path, remove: () => rmSync(directory, { recursive: true }) };
}
