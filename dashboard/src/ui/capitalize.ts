/** Turns a lower-case value of the API, such as a status, into a label in sentence case. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
