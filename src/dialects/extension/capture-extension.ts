import type { CapturedPreset } from '../../core/presets/preset.ts';
import type { ExtensionRequest } from './schema.ts';

/** Splits the `presetd` object of a capture into what a version saves and whether it goes live. */
export function captureExtension(
  presetd: ExtensionRequest | null | undefined,
): Pick<CapturedPreset, 'extension' | 'designate'> {
  const { designate = true, ...extension } = presetd ?? {};
  return { designate, extension: Object.keys(extension).length === 0 ? null : extension };
}
