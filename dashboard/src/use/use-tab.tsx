import type { SeenPreset } from '../api/presets.ts';

export function UseTab({ slug }: { readonly slug: string; readonly seen: SeenPreset }) {
  return <p>{slug}</p>;
}
