import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { type Issue, PresetdError } from '../../core/errors.ts';
import { headerNames } from '../../core/header-names.ts';
import { pointerSegment } from '../../core/json/json-pointer.ts';
import { nearestName, plainName } from '../../core/text/nearest-name.ts';
import type { JsonSchema } from './json-schema.ts';
import { issuesMax, summarizeIssues } from './validation-issues.ts';

/**
 * Checks the names of query parameters against the route's schema, on every route registered in
 * this scope after the call.
 *
 * A misspelled `workspace_id` would send a write to the default workspace, so operations that
 * change something reject every unknown name. Reads reject only near-misses of known names and
 * ignore the rest, because newer clients send parameters that this server does not know yet.
 */
export function checkQueryParameters(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const { properties = {} } = (route.schema?.querystring ?? {}) as JsonSchema;
    const isRead = [route.method].flat().every((method) => method === 'GET' || method === 'HEAD');
    const check = createCheck(Object.keys(properties), isRead);
    const checkQuery: onRequestHookHandler = ({ query, headers }, _reply, done) =>
      done(check(query) ?? (isRead ? undefined : misplacedDryRun(headers)));
    // Route hooks run after the scope's own, which checks the key, and before the body is read.
    route.onRequest = [...[route.onRequest ?? []].flat(), checkQuery];
  });
}

/** Returns undefined for a valid query, otherwise one error that lists all issues. */
function createCheck(
  known: readonly string[],
  isRead: boolean,
): (query: unknown) => PresetdError | undefined {
  const names = new Set(known);
  const byPlainName = new Map(known.map((name) => [plainName(name), name]));
  // Unlike other plurals, this one is not left to newer clients: the filter is presetd's own, and
  // the field of presets that it filters by is called `tags`.
  if (names.has('tag')) byPlainName.set('tags', 'tag');
  return (query) => {
    const issues: Issue[] = [];
    for (const [name, value] of Object.entries(query ?? {})) {
      const message = names.has(name) ? describeRepeated(value) : describeUnknown(name);
      if (message !== undefined && issues.length < issuesMax)
        issues.push({ path: pointerSegment(name), message });
    }
    if (issues.length === 0) return undefined;
    const summary = summarizeIssues(issues);
    return new PresetdError('invalid_request', `The request is not valid: ${summary}.`, { issues });
  };

  function describeUnknown(name: string): string | undefined {
    const meant = byPlainName.get(plainName(name)) ?? (isRead ? undefined : nearestName(name, known));
    if (meant !== undefined) return `is not a known query parameter (did you mean ${meant}?)`;
    if (isRead) return undefined;
    const hint = known.length === 0 ? 'this operation has none' : `known: ${known.join(', ')}`;
    return `is not a known query parameter (${hint})`;
  }
}

/** The dry-run header of calls does nothing here; a mistaken dry run must not become a change. */
function misplacedDryRun(headers: IncomingHttpHeaders): PresetdError | undefined {
  if (headers[headerNames.dryRun] === undefined) return undefined;
  return new PresetdError(
    'invalid_request',
    'The header x-presetd-dry-run applies only to model calls. Captures use ?dry_run=true; other changes have no dry run.',
  );
}

/** No parameter is a list. The framework parses a repeated name as one. */
function describeRepeated(value: unknown): string | undefined {
  return Array.isArray(value) ? `must be given once, not ${value.length} times` : undefined;
}
