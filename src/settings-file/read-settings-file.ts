import type { Type } from '../core/type.ts';
import { compileFileSchema, type FileIssue, type Formats, toFileIssue } from './file-schema.ts';
import { parseYaml } from './parse-yaml.ts';

/** Far more than any of the files needs. Keeps a wrong path from loading a huge file. */
const charactersMax = 1_048_576;

interface FileKind<Schema extends Type.TSchema> {
  readonly schema: Schema;
  readonly formats: Formats;
  /**
   * Checks the rules that a schema cannot express, because one field depends on another. Gets any
   * value; what violates the schema is reported anyway.
   */
  findRuleIssues(value: unknown): readonly FileIssue[];
}

interface FileContent<Value> {
  /** Undefined if there are problems. */
  readonly value: Value | undefined;
  readonly problems: readonly string[];
}

/**
 * Parses and validates a settings file, which is YAML or JSON. Reports all problems at once, each
 * with its line, such as "presetd.yaml line 7: upstreams[0].kind must be one of …". `name` is the
 * file name to show.
 */
export function readSettingsFile<Schema extends Type.TSchema>(
  text: string,
  name: string,
  { schema, formats, findRuleIssues }: FileKind<Schema>,
): FileContent<Type.Static<Schema>> {
  if (text.length > charactersMax)
    return { value: undefined, problems: [`${name} must be at most ${charactersMax} characters long`] };
  const { value, issues, lineOf } = parseYaml(text);
  if (issues.length > 0) {
    const problems = issues.map(({ line, message }) => `${name} line ${line}: ${message}`);
    return { value: undefined, problems };
  }
  const isValid = compileFileSchema(schema, formats);
  const ruleIssues = findRuleIssues(value);
  if (isValid(value) && ruleIssues.length === 0) return { value, problems: [] };
  const schemaIssues = (isValid.errors ?? []).map((error) => toFileIssue(error, value));
  const located = [...schemaIssues, ...ruleIssues].map((issue) => ({
    line: lineOf(issue.path),
    text: describe(issue),
  }));
  located.sort((one, other) => one.line - other.line);
  return {
    value: undefined,
    problems: [...new Set(located.map(({ line, text }) => `${name} line ${line}: ${text}`))],
  };
}

/** "upstreams[0].timeouts.idle_ms must be …" */
function describe({ path, message }: FileIssue): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${printable(step)}`));
  return `${steps.join('').replace(/^\./, '') || 'the file'} ${message}`;
}

/** Unknown keys may contain anything, including line breaks. A problem must stay on one line. */
function printable(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64).toWellFormed());
}
