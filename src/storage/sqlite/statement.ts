/**
 * All statements on a hot path by name, so that tests can check the plan of each. The names are the
 * same as on PostgreSQL where the statements are.
 */
export const statements = new Map<string, string>();

/** Names a statement. SQLite itself has no named statements, so this returns the text unchanged. */
export function statement(name: string, text: string): string {
  statements.set(name, text);
  return text;
}
