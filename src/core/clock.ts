/** Returns the current time as ISO 8601 in UTC with milliseconds. Tests pass their own. */
export type Clock = () => string;

export const systemClock: Clock = () => new Date().toISOString();
