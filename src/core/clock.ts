/** The present moment as ISO 8601 in UTC with milliseconds. Tests bring their own. */
export type Clock = () => string;

export const systemClock: Clock = () => new Date().toISOString();
