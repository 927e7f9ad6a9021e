import { useRoute } from 'wouter';
import { type PresetSnapshot, usePreset } from '../api/presets.ts';

/** The preset whose page is open, once the page has loaded it. */
export function useOpenPreset(): PresetSnapshot | undefined {
  const [isPreset, params] = useRoute('/w/:workspace/presets/:slug/*?');
  const { data } = usePreset(isPreset ? params.slug : '', false);
  return isPreset ? data : undefined;
}
