/** The average of English text and of code. */
export const charactersPerToken = 4;

/** Anthropic scales images down to about this many tokens. Other providers need fewer. */
export const imageTokens = 1_600;

/**
 * Estimates the tokens of a request from the length of its JSON, which costs next to nothing: a
 * stream of messages has to begin with a count, and only the end of the upstream's stream has it.
 * Files are data URLs after a translation, and count as images.
 */
export function estimateTokens(json: string): number {
  let characters = json.length;
  let files = 0;
  for (let start = json.indexOf(base64); start !== -1; files += 1) {
    const quote = json.indexOf('"', start);
    const end = quote === -1 ? json.length : quote;
    characters -= end - start;
    start = json.indexOf(base64, end);
  }
  return Math.ceil(characters / charactersPerToken) + files * imageTokens;
}

const base64 = ';base64,';
