/** A prepared statement, which the server parses and plans once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** All statements by name, so that tests can check the plan of each. */
export const statements = new Map<string, Statement>();

/** Names a statement. A connection rejects a second text under the same name, so this does too. */
export function statement(name: string, text: string): Statement {
  if (statements.has(name)) throw new Error(`there are two statements with the name ${name}`);
  const named = { name, text };
  statements.set(name, named);
  return named;
}
