import { isJsonObject } from '../../core/json/json-object.ts';
import { dialects as allDialects } from '../../core/presets/preset.ts';
import type { FileIssue } from '../../settings-file/file-schema.ts';
import { keyVariableOf } from './gateway-settings.ts';
import { isUpstreamKey, type UpstreamKind, upstreamKeyRule } from './upstream.ts';
import { kinds } from './upstream-kinds.ts';

type Fields = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks the rules that a schema cannot express, because one field depends on another. Values that
 * violate the schema are skipped here; the schema reports them.
 */
export function findRuleIssues(file: unknown, environment: Environment): readonly FileIssue[] {
  const entries: readonly unknown[] =
    isJsonObject(file) && Array.isArray(file.upstreams) ? file.upstreams : [];
  return entries.flatMap((entry, index) => {
    if (!isJsonObject(entry)) return [];
    const issues = findEntryIssues(entry, entries.slice(0, index), environment);
    return issues.map(({ path, message }) => ({ path: ['upstreams', index, ...path], message }));
  });
}

function findEntryIssues(entry: Fields, earlier: readonly unknown[], environment: Environment): FileIssue[] {
  const { name, kind, base_url: baseUrl, dialects, queue_max: queueMax } = entry;
  const issues: FileIssue[] = [];
  const duplicate = earlier.findIndex(
    (other) => isJsonObject(other) && other.name === name && name !== undefined,
  );
  if (duplicate >= 0) issues.push({ path: ['name'], message: `is already used by upstreams[${duplicate}]` });
  if (queueMax !== undefined && entry.concurrency_max === undefined)
    issues.push({
      path: ['queue_max'],
      message: 'has no effect without concurrency_max; set both or neither',
    });
  if (isJsonObject(entry.headers)) issues.push(...findHeaderIssues(entry.headers, kind));
  if (!isKind(kind)) return issues;
  if (kinds[kind].baseUrl === undefined && baseUrl === undefined)
    issues.push({ path: ['base_url'], message: missingBaseUrl(kind) });
  if (Array.isArray(dialects)) issues.push(...findDialectIssues(dialects, kind));
  return [...issues, ...findKeyIssues(entry, kind, environment)];
}

function missingBaseUrl(kind: UpstreamKind): string {
  return kind === 'azure-openai'
    ? 'is missing; set it to https://NAME.openai.azure.com/openai/v1 with the name of your resource'
    : `is missing; the kind ${kind} has no default`;
}

/** Headers that presetd sets per request, or that belong to the connection. */
const reservedHeaders: readonly string[] = [
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
];

function findHeaderIssues(headers: Fields, kind: unknown): FileIssue[] {
  const names = Object.keys(headers);
  const keyHeaders = ['authorization', 'x-api-key', ...(isKind(kind) ? [kinds[kind].keyHeader] : [])];
  return names.flatMap((name, index) => {
    const message = headerIssue(name, names.slice(0, index), keyHeaders);
    return message === undefined ? [] : [{ path: ['headers', name], message }];
  });
}

function headerIssue(
  name: string,
  earlier: readonly string[],
  keyHeaders: readonly string[],
): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(lower)) return 'is not a valid header name';
  if (keyHeaders.includes(lower))
    return 'is set by presetd; name the environment variable that holds the key in api_key_env';
  if (reservedHeaders.includes(lower)) return 'is set by presetd; remove it';
  if (earlier.some((other) => other.toLowerCase() === lower)) return 'is a duplicate; remove one';
  return undefined;
}

function findDialectIssues(listed: readonly unknown[], kind: UpstreamKind): FileIssue[] {
  const { dialects } = kinds[kind];
  const unsupported = allDialects.filter((dialect) => !dialects.includes(dialect));
  return listed.flatMap((dialect, index) =>
    !unsupported.some((other) => other === dialect)
      ? []
      : [
          {
            path: ['dialects', index],
            message: `is "${dialect}", but the kind ${kind} only supports ${dialects.join(' and ')}; for a compatible API, use the kind openai-compatible`,
          },
        ],
  );
}

/** An unset variable is not an error: everything but this upstream works without it. */
function findKeyIssues(
  { api_key_env: configured }: Fields,
  kind: UpstreamKind,
  environment: Environment,
): FileIssue[] {
  const variable = keyVariableOf({
    kind,
    ...(typeof configured === 'string' && { api_key_env: configured }),
  });
  const secret = variable === undefined ? undefined : environment[variable];
  if (!secret || isUpstreamKey(secret)) return [];
  return [{ path: ['api_key_env'], message: `names ${variable}, whose value ${upstreamKeyRule}` }];
}

function isKind(value: unknown): value is UpstreamKind {
  return typeof value === 'string' && Object.hasOwn(kinds, value);
}
