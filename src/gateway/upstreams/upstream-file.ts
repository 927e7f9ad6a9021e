import { toGatewaySettings } from './gateway-settings.ts';
import { parseYaml } from './parse-yaml.ts';
import type { GatewaySettings } from './upstream.ts';
import { findRuleIssues } from './upstream-file-rules.ts';
import { compileUpstreamFileSchema, type FileIssue, toFileIssue } from './upstream-file-schema.ts';

/** Far more than 100 upstreams need. Keeps a wrong path from loading a huge file. */
const charactersMax = 1_048_576;

export interface UpstreamFileResult {
  /** Undefined if there are problems. */
  readonly settings: GatewaySettings | undefined;
  readonly problems: readonly string[];
}

/**
 * Parses and validates the upstream file, which is YAML or JSON. Reports all problems at once, each
 * with its line, such as "presetd.yaml line 7: upstreams[0].kind must be one of …". `name` is the
 * file name to show, `environment` holds the API keys.
 */
export function readUpstreamFile(
  text: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): UpstreamFileResult {
  if (text.length > charactersMax)
    return { settings: undefined, problems: [`${name} must be at most ${charactersMax} characters long`] };
  const { value, issues, lineOf } = parseYaml(text);
  if (issues.length > 0) {
    const problems = issues.map(({ line, message }) => `${name} line ${line}: ${message}`);
    return { settings: undefined, problems };
  }
  const isValid = compileUpstreamFileSchema();
  const ruleIssues = findRuleIssues(value, environment);
  if (isValid(value) && ruleIssues.length === 0)
    return { settings: toGatewaySettings(value, environment), problems: [] };
  const schemaIssues = (isValid.errors ?? []).map((error) => toFileIssue(error, value));
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

/** Unknown keys may contain anything, including line breaks. A problem must stay on one line. */
function printable(key: string): string {
  return /^[\w-]{1,64}$/.test(key) ? key : JSON.stringify(key.slice(0, 64).toWellFormed());
}
