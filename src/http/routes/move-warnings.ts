import type { Issue } from '../../core/errors.ts';
import type { PresetState } from '../../core/presets/preset.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import { findBrokenCalls } from '../../dialects/presets/extension/broken-calls.ts';

/** The calls that break because the live version or a label moved. A new label breaks none. */
export async function warningsOfMove(
  reader: PresetReader,
  preset: PresetState,
  from: number | undefined,
  to: number,
): Promise<readonly Issue[]> {
  if (from === undefined || from === to) return [];
  const [older, newer] = await Promise.all([reader.versionOf(preset, from), reader.versionOf(preset, to)]);
  return findBrokenCalls(older, newer);
}
