/** The statements on a hot path by name, so that tests can check their plans. */
export const statements = new Map<string, string>();

/** Names a statement. SQLite itself has no named statements, so this returns the text unchanged. */
export function statement(name: string, text: string): string {
  if ((statements.get(name) ?? text) !== text) throw new Error(`there are two statements named ${name}`);
  statements.set(name, text);
  return text;
}
