import { type Call, describePreset, type HeaderList } from '../call.ts';
import type { AppliedCall } from '../plan/resolve-and-apply-preset.ts';
import type { Candidate, RoutePlan } from '../plan/router.ts';
import { describeForm } from './form-body.ts';
import { type AdaptedRequest, buildUpstreamRequest, createRequestBase, pathAt } from './upstream-request.ts';

/**
 * Describes, as JSON, the request that a call would send. It goes through the same code as a real
 * call, so that `body` is byte for byte what the upstream would get. Secrets are replaced: the key
 * by the name of its variable, configured headers by a placeholder.
 */
export function describeDryRun(call: Call, applied: AppliedCall, plan: RoutePlan, userAgent: string): string {
  const [first, ...others] = plan.candidates;
  if (first === undefined) throw new Error('the route plan has no candidates');
  const { key, headers } = first.upstream;
  const requestBase = createRequestBase(
    { ...first.upstream, headers: withoutValues(headers) },
    key && `$${key.variable}`,
    userAgent,
  );
  const request = buildUpstreamRequest(call, applied, first, others.length === 0, requestBase);
  call.trace.upstream = first.upstream.name;
  call.trace.droppedFields = [...plan.droppedFields, ...request.droppedFields];
  const { origin } = new URL(first.upstream.baseUrl);
  const details = JSON.stringify({
    preset: describePreset(call.trace) ?? null,
    upstream: first.upstream.name,
    method: request.method,
    url: origin + request.path,
    headers: toHeaderObject(request.headers),
    overridden_fields: call.trace.overriddenFields,
    policy_fields: call.trace.policyFields,
    dropped_fields: call.trace.droppedFields,
    default_variables: applied.defaultVariables ?? [],
    fallbacks: others.map((candidate) => describeFallback(candidate, call)),
  });
  return `{"data":${details.slice(0, -1)},"body":${bodyJson(request)}}}`;
}

/** A JSON body is spliced in as text: parsing it would round its numbers. */
function bodyJson({ body, form }: AdaptedRequest): string {
  if (form !== undefined) return JSON.stringify(describeForm(form));
  return body === null ? 'null' : body.toString();
}

function describeFallback(candidate: Candidate, call: Call): object {
  const { upstream, model } = candidate;
  return { upstream: upstream.name, url: upstream.baseUrl + pathAt(candidate, call), model: model ?? null };
}

/** Configured headers may contain secrets. */
function withoutValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '(configured)']));
}

/** The last of several headers of one name wins. */
function toHeaderObject(list: HeaderList): Record<string, string> {
  const pairs = Array.from({ length: list.length / 2 }, (_, index) => [
    String(list[2 * index]),
    String(list[2 * index + 1]),
  ]);
  return Object.fromEntries(pairs);
}
