import type { BackupCounts, CopyProgress } from '../storage/backup-file.ts';
import { pluralize } from './pluralize.ts';
import { startProgress } from './progress.ts';

/** What each engine counts while it copies: SQLite copies file pages, PostgreSQL transfers rows. */
const units = { sqlite: 'pages', postgres: 'rows' };

/**
 * Shows a progress bar while `copy` runs, and removes it however that ends. The engines report
 * totals; the bar expects increments.
 */
export async function withCopyProgress<T>(
  title: string,
  engine: keyof typeof units,
  copy: (progress: CopyProgress) => Promise<T>,
): Promise<T> {
  const bar = startProgress(title, units[engine]);
  let previous = 0;
  try {
    return await copy((done, total) => {
      bar.expect(total);
      bar.advance(done - previous);
      previous = done;
    });
  } finally {
    bar.finish();
  }
}

/** "1 preset with 2 versions" */
export function describeCounts({ presets, versions }: BackupCounts): string {
  return `${pluralize(presets, 'preset')} with ${pluralize(versions, 'version')}`;
}
