/** Limits of the API that clients have to know, in a module without schemas so that it is small. */

/** OpenRouter's page size; `GET /keys` does not let a client choose it. */
export const keysPerPage = 100;

/** Default grace period of a rotation: long enough to deploy the new secret. */
export const graceSecondsDefault = 3_600;

/** 30 days: enough for a slow rollout, and no secret stays valid forever by mistake. */
export const graceSecondsMax = 30 * 24 * 3_600;

/** User ids in one request that adds or removes members of a workspace. */
export const userIdsMax = 100;

/** Bounded, because no other change to the organization can run during an import. */
export const importedMembersMax = 500;

/** Names of presets that a key can be limited to. */
export const keyPresetsMax = 100;

export { passwordLengthMax, passwordLengthMin } from '../core/accounts/password-rules.ts';
export { bodyMebibytesDefault } from '../core/body-limit.ts';

/** Enough for the kinds of data that people redact. Each takes time per character of a call. */
export const redactionPatternsMax = 20;
