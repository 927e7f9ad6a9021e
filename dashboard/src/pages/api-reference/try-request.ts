import type { Operation, Parameter } from './api-document.ts';

/** Typed input: values by parameter, and the body. Empty values are not sent. */
interface TriedRequest {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Header and query parameters may have the same name. */
export function valueKey({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${place} ${name}`;
}

interface HttpMessage {
  readonly method: string;
  /** Below the origin of the server. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The problems with the values, by `valueKey`. */
export function findProblems(
  { parameters }: Operation,
  { values }: TriedRequest,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parameters.flatMap((parameter) => {
      const key = valueKey(parameter);
      const problem = problemOf(parameter, values[key] ?? '');
      return problem === undefined ? [] : [[key, problem]];
    }),
  );
}

function problemOf({ in: place, name, required }: Parameter, value: string): string | undefined {
  if (required && value === '') return `Enter a value for ${name}.`;
  // URLs resolve these segments even when they are percent-encoded: another path would be called.
  if (place === 'path' && (value === '.' || value === '..')) return `${name} cannot be "${value}".`;
  return undefined;
}

export function toHttpMessage(operation: Operation, { values, body }: TriedRequest): HttpMessage {
  const given = operation.parameters.flatMap((each) => {
    const value = values[valueKey(each)] ?? '';
    return value === '' ? [] : [{ ...each, value }];
  });
  const path = given
    .filter((each) => each.in === 'path')
    .reduce((text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)), operation.path);
  const query = new URLSearchParams(
    given.filter((each) => each.in === 'query').map(({ name, value }) => [name, value]),
  );
  const hasBody = operation.body !== undefined && body.trim() !== '';
  return {
    method: operation.method.toUpperCase(),
    path: query.size === 0 ? path : `${path}?${query}`,
    headers: {
      ...Object.fromEntries(
        given.filter((each) => each.in === 'header').map(({ name, value }) => [name, value]),
      ),
      ...(hasBody && { 'content-type': operation.body.type }),
    },
    body: hasBody ? body : undefined,
  };
}

/**
 * A command for a POSIX shell. The key is a variable, so that the command can be shared. `-d` would
 * read a file if the body starts with `@`.
 */
export function toCurl({ method, path, headers, body }: HttpMessage, origin: string): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    '  -H "Authorization: Bearer $PRESETD_API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`  --data-raw ${quoted(body)}`]),
  ];
  return lines.join(' \\\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
