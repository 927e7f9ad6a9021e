import { redactionPatternsMax } from '../../../../src/api/limits.ts';
import type { ContentLog } from '../../../../src/api/workspaces.ts';

/** The settings of a content log as people type them. */
export interface ContentLogTexts {
  readonly percent: string;
  readonly days: string;
  /** In KiB. */
  readonly size: string;
  /** One per line. */
  readonly patterns: string;
}

interface ReadContentLog {
  readonly settings: Omit<ContentLog, 'enabled'>;
  /** Problems by field. The setting of such a field means nothing. */
  readonly errors: Partial<Record<keyof ContentLogTexts, string>>;
}

export function textsOf(settings: ContentLog): ContentLogTexts {
  return {
    percent: String(Number((settings.sampling_rate * 100).toFixed(4))),
    days: String(settings.retention_days),
    size: String(Number((settings.bytes_max / 1_024).toFixed(3))),
    patterns: settings.redaction_patterns.join('\n'),
  };
}

/** Reads what was typed. The server checks the patterns. */
export function readContentLog({ percent, days, size, patterns }: ContentLogTexts): ReadContentLog {
  const samplingRate = Number((numberIn(percent) / 100).toFixed(6));
  const retentionDays = numberIn(days);
  const bytesMax = Math.round(numberIn(size) * 1_024);
  const lines = patterns.split('\n').map((line) => line.trim());
  const list = lines.filter((line) => line !== '');
  const errors: Partial<Record<keyof ContentLogTexts, string>> = {};
  if (!(samplingRate >= 0.0001 && samplingRate <= 1)) errors.percent = 'Enter a number from 0.01 to 100.';
  if (!(Number.isInteger(retentionDays) && retentionDays >= 1 && retentionDays <= 3_650))
    errors.days = 'Enter a whole number from 1 to 3650.';
  if (!(bytesMax >= 1_024 && bytesMax <= 4_194_304)) errors.size = 'Enter a number from 1 to 4096.';
  if (list.length > redactionPatternsMax) errors.patterns = `Enter at most ${redactionPatternsMax} patterns.`;
  return {
    settings: {
      sampling_rate: samplingRate,
      retention_days: retentionDays,
      bytes_max: bytesMax,
      redaction_patterns: list,
    },
    errors,
  };
}

/** Nothing typed is no number, and not 0. */
function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
