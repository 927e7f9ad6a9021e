import { resolve } from 'node:path';
import type { DatabaseLocation } from './storage/open.ts';

/** Throws a sentence that continues "DATABASE_URL …" and holds nothing that may be a password. */
export function databaseLocation(text: string): DatabaseLocation {
  if (/^postgres(ql)?:\/\//.test(text)) return { engine: 'postgres', url: postgresUrl(text) };
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(text)?.[1];
  if (file === ':memory:')
    throw new Error('must name a file: what is kept in memory would be lost at the next start');
  if (file !== undefined) return { engine: 'sqlite', file: resolve(file) };
  throw new Error('must be sqlite:<path> or postgres://user:password@host:port/name');
}

function postgresUrl(text: string): string {
  if (severalHosts.test(text)) throw tooManyHosts();
  if (!URL.canParse(text)) throw notReadable();
  const { search, searchParams } = new URL(text);
  for (const [name, value] of searchParams) {
    // Of a password that is not encoded, the rest may look like parameters.
    if (!Object.hasOwn(parameters, name) && search.includes('@')) throw notReadable();
    assertParameter(name, value);
    if (searchParams.getAll(name).length > 1) throw new Error(`has the parameter "${name}" twice`);
  }
  if (searchParams.get('host')?.includes(',')) throw tooManyHosts();
  return text.replace(checkingMode, '$1verify-full');
}

/**
 * The driver takes these for verify-full, and warns at every start that its next version will not. In the text, since the driver reads a URL that was
 * written anew otherwise, where a password has a bare %.
 */
const checkingMode = /([?&]sslmode=)(?:require|verify-ca)(?=&|#|$)/;

/** A comma after the password. With an @ still to come it may be in a password that is not encoded. */
const severalHosts = /^\w+:\/\/(?:[^/?#]*@)?[^/?#@]*,[^@]*$/;

function tooManyHosts(): Error {
  return new Error(
    'names several hosts, and presetd takes one. Name a proxy, or a DNS name, that leads to the primary; docs/cluster.md has more',
  );
}

function notReadable(): Error {
  return new Error('is not a valid URL; a password with special characters must be percent-encoded');
}

/**
 * What the driver understands and presetd does not set itself, with the values where they are few. The driver ignores almost all others
 * without a word, so that a connection would be less safe than whoever misspelled one believes.
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

/** For those that databases are often handed out with. */
const advice: Readonly<Record<string, string>> = {
  channel_binding:
    'Take it out: the driver cannot require it. sslmode=verify-full keeps others from standing in for the server',
  uselibpqcompat:
    'Take it out, and set sslmode to no-verify for TLS that trusts any certificate, or else to verify-full',
};

function assertParameter(name: string, value: string): void {
  if (Object.hasOwn(advice, name)) throw new Error(`has the parameter "${name}". ${advice[name]}`);
  if (!Object.hasOwn(parameters, name))
    throw new Error(
      `has the parameter "${name}", which presetd does not know. It knows ${Object.keys(parameters).join(', ')}`,
    );
  const values = parameters[name];
  if (values !== undefined && !values.includes(value))
    throw new Error(`has a wrong ${name}, which must be one of ${values.join(', ')}`);
  if (value === '') throw new Error(`has the parameter "${name}" without a value`);
}
