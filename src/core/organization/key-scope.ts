/**
 * The rights of an API key, each including the one before: call models and presets, read presets,
 * change presets.
 */
export const keyScopes = ['call', 'read', 'write'] as const;

export type KeyScope = (typeof keyScopes)[number];
