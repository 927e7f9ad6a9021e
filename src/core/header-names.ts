/** The names of presetd's HTTP headers, which docs/ explains. */
export const headerNames = {
  droppedFields: 'x-presetd-dropped-fields',
  dryRun: 'x-presetd-dry-run',
  estimated: 'x-presetd-estimated',
  failure: 'x-presetd-failure',
  fallbacks: 'x-presetd-fallbacks',
  /** OpenRouter's name for the id of a call. */
  generationId: 'x-generation-id',
  ignoredFields: 'x-presetd-ignored-fields',
  latestVersion: 'x-presetd-latest-version',
  nextCursor: 'x-presetd-next-cursor',
  outputLimit: 'x-presetd-output-limit',
  overheadMs: 'x-presetd-overhead-ms',
  overriddenFields: 'x-presetd-overridden-fields',
  preset: 'x-presetd-preset',
  purpose: 'x-presetd-purpose',
  upstream: 'x-presetd-upstream',
} as const;
