/** Default maximum size of a request body, in MiB; `PRESETD_BODY_LIMIT` sets another. */
export const bodyMebibytesDefault = 32;
