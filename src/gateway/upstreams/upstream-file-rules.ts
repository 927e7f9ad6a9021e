import { dialects as allDialects } from '../../core/preset.ts';
import { isJsonObject } from '../../dialects/json-object.ts';
import { defaultsOf, keyVariableOf } from './gateway-settings.ts';
import type { UpstreamKind } from './upstream.ts';
import type { FileIssue } from './upstream-file-issue.ts';
import { isUpstreamKey, upstreamKeyRule } from './upstream-key.ts';

type Fields = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** What a schema cannot tell, because one field decides about another. What is wrong by itself is passed over here. */
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
  const twin = earlier.findIndex((other) => isJsonObject(other) && other.name === name && name !== undefined);
  if (twin >= 0) issues.push({ path: ['name'], message: `is the name of upstreams[${twin}] already` });
  if (queueMax !== undefined && entry.concurrency_max === undefined)
    issues.push({ path: ['queue_max'], message: 'does nothing without concurrency_max; set both or none' });
  if (isJsonObject(entry.headers)) issues.push(...findHeaderIssues(entry.headers));
  if (!isKind(kind)) return issues;
  if (defaultsOf[kind].baseUrl === undefined && baseUrl === undefined)
    issues.push({ path: ['base_url'], message: `is missing; for the kind ${kind} there is no default` });
  if (Array.isArray(dialects)) issues.push(...findDialectIssues(dialects, kind));
  return [...issues, ...findKeyIssues(entry, kind, environment)];
}

/** What presetd decides for each request, or the connection does. */
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

function findHeaderIssues(headers: Fields): FileIssue[] {
  const names = Object.keys(headers);
  return names.flatMap((name, index) => {
    const message = headerIssue(name, names.slice(0, index));
    return message === undefined ? [] : [{ path: ['headers', name], message }];
  });
}

function headerIssue(name: string, earlier: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(lower)) return 'is not the name of a header';
  if (lower === 'authorization' || lower === 'x-api-key')
    return 'is sent by presetd itself; name the variable that holds the key in api_key_env';
  if (reservedHeaders.includes(lower)) return 'is set by presetd itself; remove it';
  if (earlier.some((other) => other.toLowerCase() === lower)) return 'is there twice; remove one';
  return undefined;
}

function findDialectIssues(given: readonly unknown[], kind: UpstreamKind): FileIssue[] {
  const { dialects } = defaultsOf[kind];
  const foreign = allDialects.filter((dialect) => !dialects.includes(dialect));
  return given.flatMap((dialect, index) =>
    !foreign.some((other) => other === dialect)
      ? []
      : [
          {
            path: ['dialects', index],
            message: `is "${dialect}", and the kind ${kind} speaks ${dialects.join(' and ')} only; an API that is like it may be of the kind openai-compatible`,
          },
        ],
  );
}

/** A variable that is not set is no mistake: the rest of presetd works without it. */
function findKeyIssues(
  { api_key_env: given }: Fields,
  kind: UpstreamKind,
  environment: Environment,
): FileIssue[] {
  const variable = keyVariableOf({ kind, ...(typeof given === 'string' && { api_key_env: given }) });
  const secret = variable === undefined ? undefined : environment[variable];
  if (!secret || isUpstreamKey(secret)) return [];
  return [{ path: ['api_key_env'], message: `names ${variable}, whose value ${upstreamKeyRule}` }];
}

function isKind(value: unknown): value is UpstreamKind {
  return typeof value === 'string' && Object.hasOwn(defaultsOf, value);
}
