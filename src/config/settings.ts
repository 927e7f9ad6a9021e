import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** One environment variable: its default, its documentation and its parser. */
interface Setting<T> {
  /** Used if the variable is unset or empty. */
  readonly defaultText: string;
  readonly description: string;
  /** Throws an error whose message continues "NAME …", such as "must be a whole number". */
  readonly parse: (text: string) => T;
  /** The name that the variable had in earlier releases, which still works. */
  readonly formerName: string | undefined;
}

type SettingTable = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['parse']>;
};
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Invalid configuration, which stops a command before it starts. The CLI prints only the message.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The individual problems, for structured logs. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = [message]) {
    super(message);
    this.problems = problems;
  }
}

/**
 * Reads the environment. A `.env` file in the working directory supplies variables that are unset.
 */
export function readEnvironment(): Environment {
  return { ...readEnvFile(), ...process.env };
}

export function setting<T>(
  defaultText: string,
  description: string,
  parse: (text: string) => T,
  formerName?: string,
): Setting<T> {
  return { defaultText, description, parse, formerName };
}

/** The variable that supplies a setting: one with its former name only if the other is unset. */
export function variableFor(name: string, formerName: string | undefined, environment: Environment): string {
  return formerName !== undefined && environment[formerName] && !environment[name] ? formerName : name;
}

/** Wraps a parser so that an empty value becomes undefined. */
export function optional<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : parse(text));
}

/**
 * Parses all settings and collects every problem instead of stopping at the first. With problems,
 * the values of invalid settings are undefined and must not be used.
 */
export function parseSettings<Table extends SettingTable>(
  table: Table,
  environment: Environment,
): { values: ValuesOf<Table>; problems: string[] } {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(table).map(([name, { defaultText, parse, formerName }]) => {
      const variable = variableFor(name, formerName, environment);
      try {
        return [name, parse(environment[variable] || defaultText)];
      } catch (error) {
        problems.push(`${variable} ${error instanceof Error ? error.message : error}`);
        return [name, undefined];
      }
    }),
  ) as unknown as ValuesOf<Table>;
  return { values, problems };
}

/** Combines all problems into one error. */
export function settingsError(problems: readonly string[]): ConfigError {
  const count = problems.length === 1 ? '1 setting is' : `${problems.length} settings are`;
  return new ConfigError(
    [`${count} invalid:`, ...problems.map((problem) => `  ${problem}`)].join('\n'),
    problems,
  );
}

function readEnvFile(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new ConfigError(`Cannot read .env: ${error instanceof Error ? error.message : error}`);
  }
}
