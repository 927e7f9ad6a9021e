import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** `text` is what stands in when the variable is unset or empty; `parse` throws a sentence that continues "NAME …". */
export interface Setting<T> {
  readonly defaultText: string;
  readonly description: string;
  readonly parse: (text: string) => T;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;
export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['parse']>;
};
export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One by one, for whoever does not want them in one text. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = [message]) {
    super(message);
    this.problems = problems;
  }
}

/** The environment, with a `.env` file of the working directory filling in what it leaves unset. */
export function readEnvironment(): Environment {
  return { ...readEnvFile(), ...process.env };
}

export function setting<T>(text: string, description: string, parse: (text: string) => T): Setting<T> {
  return { defaultText: text, description, parse };
}

export function optional<T>(parse: (text: string) => T): (text: string) => T | undefined {
  return (text) => (text === '' ? undefined : parse(text));
}

export function parseSettings<Table extends SettingTable>(
  table: Table,
  environment: Environment,
): { values: ValuesOf<Table>; problems: string[] } {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(table).map(([name, { defaultText: text, parse }]) => {
      try {
        return [name, parse(environment[name] || text)];
      } catch (error) {
        problems.push(`${name} ${error instanceof Error ? error.message : error}`);
        return [name, undefined];
      }
    }),
  ) as unknown as ValuesOf<Table>;
  return { values, problems };
}

/** What is wrong with settings, as one error. */
export function settingsError(problems: readonly string[]): ConfigError {
  const count = problems.length === 1 ? 'A setting is' : `${problems.length} settings are`;
  return new ConfigError(
    [`${count} wrong:`, ...problems.map((problem) => `  ${problem}`)].join('\n'),
    problems,
  );
}

function readEnvFile(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw new ConfigError(`The file .env cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}
