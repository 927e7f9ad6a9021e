import { toGatewaySettings } from './gateway-settings.ts';
import { parseYaml } from './parse-yaml.ts';
import type { GatewaySettings } from './upstream.ts';
import { type FileIssue, toFileIssue } from './upstream-file-issue.ts';
import { findRuleIssues } from './upstream-file-rules.ts';
import { compileUpstreamFileSchema } from './upstream-file-schema.ts';

const charactersMax = 1_048_576;

export interface UpstreamFileResult {
  /** Undefined where there are problems. */
  readonly settings: GatewaySettings | undefined;
  readonly problems: readonly string[];
}

/**
 * Reads the file that lists the upstreams; JSON is YAML too. A problem is a sentence with its line, such as
 * "presetd.yaml line 7: upstreams[0].kind must be one of …", and they come all at once.
 */
export function readUpstreamFile(
  text: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): UpstreamFileResult {
  if (text.length > charactersMax)
    return { settings: undefined, problems: [`${name} must have at most ${charactersMax} characters`] };
  const { value, issues: mistakes, lineOf } = parseYaml(text);
  if (mistakes.length > 0) {
    const problems = mistakes.map(({ line, message }) => `${name} line ${line}: ${message}`);
    return { settings: undefined, problems };
  }
  const isRight = compileUpstreamFileSchema();
  const ruleIssues = findRuleIssues(value, environment);
  if (isRight(value) && ruleIssues.length === 0)
    return { settings: toGatewaySettings(value, environment), problems: [] };
  const schemaIssues = (isRight.errors ?? []).map((error) => toFileIssue(error, value));
  const located = [...schemaIssues, ...ruleIssues].map((issue) => ({
    line: lineOf(issue.path),
    text: describe(issue),
  }));
  located.sort((one, other) => one.line - other.line);
  return {
    settings: undefined,
    problems: [...new Set(located.map(({ line, text }) => `${name} line ${line}: ${text}`))],
  };
}

/** "upstreams[0].timeouts.idle_ms must be …" */
function describe({ path, message }: FileIssue): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${printable(step)}`));
  return `${steps.join('').replace(/^\./, '') || 'the file'} ${message}`;
}

/** A key that nobody expected may be anything, and must stay a part of one line. */
function printable(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64).toWellFormed());
}
