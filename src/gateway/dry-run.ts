import { type Call, describePreset } from './call.ts';
import { toHeaderObject } from './header-list.ts';
import type { AppliedCall } from './resolve-and-apply-preset.ts';
import type { Candidate, RoutePlan } from './router.ts';
import { buildUpstreamRequest, createRequestBase } from './upstream-request.ts';

/** What would be sent, and where to, as JSON. The body is the very text that would be sent; the key is only named. */
export function describeDryRun(call: Call, applied: AppliedCall, plan: RoutePlan, userAgent: string): string {
  const [first, ...others] = plan.candidates;
  if (first === undefined) throw new Error('a plan without a candidate');
  const { key, headers } = first.upstream;
  const sender = createRequestBase(
    { ...first.upstream, headers: withoutValues(headers) },
    key && `$${key.variable}`,
    userAgent,
  );
  const outgoing = buildUpstreamRequest(call, applied.body, first, others.length === 0, sender);
  call.trace.upstream = first.upstream.name;
  call.trace.droppedFields = [...applied.droppedFields, ...plan.droppedFields, ...outgoing.droppedFields];
  const { origin } = new URL(first.upstream.baseUrl);
  const facts = JSON.stringify({
    preset: describePreset(call.trace) ?? null,
    upstream: first.upstream.name,
    method: 'POST',
    url: origin + outgoing.path,
    headers: toHeaderObject(outgoing.headers),
    overridden_fields: call.trace.overriddenFields,
    dropped_fields: call.trace.droppedFields,
    fallbacks: others.map((candidate) => describe(candidate, outgoing.path.slice(sender.basePath.length))),
  });
  return `{"data":${facts.slice(0, -1)},"body":${outgoing.body.toString()}}}`;
}

function describe({ upstream, model }: Candidate, path: string): object {
  return { upstream: upstream.name, url: upstream.baseUrl + path, model: model ?? null };
}

/** The operator may have put secrets there. */
function withoutValues(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '(configured)']));
}
