import { resolve } from 'node:path';
import type { DatabaseLocation } from '../storage/open.ts';

/**
 * Parses DATABASE_URL. Throws errors whose message continues "DATABASE_URL …" and never contains
 * any part of the URL that could be a password.
 */
export function databaseLocation(text: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//.test(text)) return { engine: 'postgres', url: postgresUrl(text) };
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file === ':memory:')
    throw new Error('must name a file: an in-memory database would be lost on restart');
  if (file !== undefined) return { engine: 'sqlite', file: resolve(file) };
  throw new Error('must be sqlite:<path> or postgres://user:password@host:port/name');
}

function postgresUrl(text: string): string {
  if (multipleHosts.test(text)) throw multipleHostsError();
  if (!URL.canParse(text)) throw invalidUrl();
  const { search, searchParams } = new URL(text);
  for (const [name, value] of searchParams) {
    // The end of an unencoded password can look like parameters, so it must not appear in a
    // message.
    if (!Object.hasOwn(parameters, name) && search.includes('@')) throw invalidUrl();
    assertParameter(name, value);
    if (searchParams.getAll(name).length > 1) throw new Error(`repeats the parameter "${name}"`);
  }
  if (searchParams.get('host')?.includes(',')) throw multipleHostsError();
  return text.replace(aliasesOfVerifyFull, '$1verify-full');
}

/**
 * The driver treats these modes as verify-full, but warns on every start that its next version will
 * not. They are replaced in the text instead of through `URL`, which would change a password with a
 * bare %.
 */
const aliasesOfVerifyFull = /([?&]sslmode=)(?:require|verify-ca)(?=&|#|$)/;

/** A comma in the host part. Before an @, a comma may belong to an unencoded password. */
const multipleHosts = /^\w+:\/\/(?:[^/?#]*@)?[^/?#@]*,[^@]*$/;

function multipleHostsError(): Error {
  return new Error(
    'has several hosts, but presetd connects to one. Use a proxy or a DNS name that points to the primary; see docs/cluster.md',
  );
}

function invalidUrl(): Error {
  return new Error('is not a valid URL; special characters in the password must be percent-encoded');
}

/**
 * The supported parameters, with their values where they are limited. The driver silently ignores
 * most others, so a misspelled TLS parameter would make a connection less secure than it looks.
 * Parameters that presetd sets itself are not listed.
 */
const parameters: Readonly<Record<string, readonly string[] | undefined>> = {
  application_name: undefined,
  host: undefined,
  options: undefined,
  password: undefined,
  port: undefined,
  ssl: ['true', '1', 'no-verify', '0'],
  sslcert: undefined,
  sslkey: undefined,
  sslmode: ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'],
  sslnegotiation: ['postgres', 'direct'],
  sslrootcert: undefined,
  user: undefined,
};

/** Hints for unsupported parameters that hosted databases often put in their URLs. */
const advice: Readonly<Record<string, string>> = {
  channel_binding: 'Remove it: the driver cannot enforce it. Use sslmode=verify-full to verify the server',
  uselibpqcompat: 'Remove it, and set sslmode to verify-full, or to no-verify to accept any certificate',
};

function assertParameter(name: string, value: string): void {
  if (Object.hasOwn(advice, name)) throw new Error(`has the parameter "${name}". ${advice[name]}`);
  if (!Object.hasOwn(parameters, name))
    throw new Error(
      `has an unknown parameter "${name}". The supported ones are ${Object.keys(parameters).join(', ')}`,
    );
  const values = parameters[name];
  if (values !== undefined && !values.includes(value))
    throw new Error(`has an invalid ${name}; it must be one of ${values.join(', ')}`);
  if (value === '') throw new Error(`has the parameter "${name}" without a value`);
}
