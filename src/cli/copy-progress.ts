import type { CopyProgress, Holdings } from '../storage/backup-file.ts';
import { startProgress } from './progress.ts';

/** SQLite copies the pages of a file, PostgreSQL hands over rows. */
const nouns = { sqlite: 'pages', postgres: 'rows' };

/** Shows how far a copy is while it is made. */
export async function withCopyProgress<T>(
  doing: string,
  engine: keyof typeof nouns,
  copy: (progress: CopyProgress) => Promise<T>,
): Promise<T> {
  const bar = startProgress(doing, nouns[engine]);
  let shown = 0;
  try {
    return await copy((done, total) => {
      bar.expect(total);
      bar.advance(done - shown);
      shown = done;
    });
  } finally {
    bar.finish();
  }
}

export function held({ presets, versions }: Holdings): string {
  return `${counted(presets, 'preset')} with ${counted(versions, 'version')}`;
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
