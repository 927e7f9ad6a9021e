/** The API path of a preset or, with `parts`, of something that belongs to it. */
export function presetPath(slug: string, ...parts: readonly (string | number)[]): string {
  return `/presets/${[slug, ...parts].map((part) => encodeURIComponent(part)).join('/')}`;
}
