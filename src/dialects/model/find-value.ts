/** Longer values are no names. */
const charactersMax = 256;

/**
 * The text that is the value of the first, or the last, key of this name in JSON text or lines of
 * events; undefined if it is not a short text. Nothing is parsed: quotes inside strings are
 * escaped, so every match of a quoted key is a real key.
 */
export function findFirstText(json: string, name: string): string | undefined {
  return textAfter(json, json.indexOf(`"${name}"`), name);
}

export function findLastText(json: string, name: string): string | undefined {
  return textAfter(json, json.lastIndexOf(`"${name}"`), name);
}

function textAfter(json: string, at: number, name: string): string | undefined {
  if (at === -1) return undefined;
  const start = at + name.length + 2;
  return /^\s*:\s*"([^"\\]+)"/.exec(json.slice(start, start + charactersMax))?.[1];
}
