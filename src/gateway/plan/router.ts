import { PresetdError } from '../../core/errors.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { modelCharactersMax } from '../../core/presets/preset-reference.ts';
import { invalidBody } from '../../core/request-issues.ts';
import type { Endpoint } from '../upstreams/endpoint.ts';
import type { GatewaySettings, Upstream } from '../upstreams/upstream.ts';

/** A model at an upstream that a call may be sent to. */
export interface Candidate {
  readonly upstream: Upstream;
  /** The dialect that the upstream gets. If it is not that of the call, the call is translated. */
  readonly dialect: Dialect;
  /** As the request names it; undefined if it names none and the upstream chooses. */
  readonly model: string | undefined;
  /** The models that the upstream itself tries next; always empty unless it is OpenRouter. */
  readonly fallbacks: readonly string[];
}

export interface RoutePlan {
  /** In the order in which they are tried. There is at least one. */
  readonly candidates: readonly Candidate[];
  /** Fallback models that no upstream serves, as `models.<index>`. */
  readonly droppedFields: readonly string[];
}

/**
 * Decides by model and dialect which upstreams a request can be sent to. One that supports the
 * dialect of the request is preferred. For an endpoint, only upstreams that have it count. Throws
 * `invalid_request` if no upstream serves the model.
 */
export type Router = (
  body: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  endpoint?: Endpoint,
) => RoutePlan;

export function createRouter({ upstreams, attemptsMax }: GatewaySettings): Router {
  const routes = upstreams.map((upstream) => ({ upstream, hasModel: createModelMatcher(upstream.models) }));

  function findTarget(model: string, dialect: Dialect, endpoint: Endpoint | undefined): Target | undefined {
    if (endpoint !== undefined) {
      const able = routes.find(
        ({ upstream, hasModel }) => hasEndpoint(upstream, endpoint) && hasModel(model),
      );
      return able && { model, upstream: able.upstream, dialect };
    }
    const route =
      routes.find(({ upstream, hasModel }) => upstream.dialects.includes(dialect) && hasModel(model)) ??
      routes.find(({ hasModel }) => hasModel(model));
    if (route === undefined) return undefined;
    const { upstream } = route;
    return { model, upstream, dialect: chooseDialect(upstream, dialect) };
  }

  return (body, dialect, endpoint) => {
    const model = body.model || fallbackModels(body)[0];
    if (typeof model !== 'string') return routeWithoutModel(upstreams, dialect, endpoint);
    const first = findTarget(model, dialect, endpoint);
    if (first === undefined) {
      const serving = routes.filter(({ hasModel }) => hasModel(model)).map(({ upstream }) => upstream);
      if (endpoint !== undefined && serving.length > 0) throw missingEndpoint(endpoint, serving, model);
      throw unknownModel(model, upstreams);
    }
    if (!Array.isArray(body.models))
      return { candidates: [{ ...first, fallbacks: [] }], droppedFields: none };
    assertWithinLimits(body.models);
    const droppedFields: string[] = [];
    const targets: Target[] = [first];
    const seen = new Set([model]);
    for (const [index, name] of fallbackModels(body).entries()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const target = findTarget(name, dialect, endpoint);
      if (target === undefined) droppedFields.push(`models.${index}`);
      else targets.push(target);
    }
    return { candidates: toCandidates(targets, endpoint).slice(0, attemptsMax), droppedFields };
  };
}

/** Matches model names against patterns in which a star stands for any text, including none. */
export function createModelMatcher(patterns: readonly string[]): (model: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.split(/\*+/).map(RegExp.escape).join('.*')}$`, 's'),
  );
  return (model) => expressions.some((expression) => expression.test(model));
}

const none: readonly string[] = [];

/** Far more than `attempts_max` allows, and few enough to match against all patterns. */
const modelsMax = 100;

function assertWithinLimits(models: readonly unknown[]): void {
  if (models.length > modelsMax)
    throw invalidBody([{ path: '/models', message: `must have at most ${modelsMax} items` }]);
  const longIndex = models.findIndex((name) => typeof name === 'string' && name.length > modelCharactersMax);
  if (longIndex !== -1)
    throw invalidBody([
      { path: `/models/${longIndex}`, message: `must be at most ${modelCharactersMax} characters long` },
    ]);
}

function fallbackModels({ models }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(models) ? models.filter((name) => typeof name === 'string') : [];
}

type Target = Omit<Candidate, 'fallbacks'>;

/** The upstream's dialect that loses least in translation. Chat completions can express least. */
function chooseDialect({ dialects }: Upstream, preferred: Dialect): Dialect {
  const order: readonly Dialect[] = [preferred, 'responses', 'messages'];
  return order.find((dialect) => dialects.includes(dialect)) ?? 'chat-completions';
}

/**
 * Merges consecutive targets at OpenRouter into one candidate with fallbacks: it goes through them
 * itself, in one call, and knows best which models are up. Its other endpoints have no fallbacks.
 */
function toCandidates(targets: readonly Target[], endpoint: Endpoint | undefined): Candidate[] {
  const candidates: (Candidate & { readonly fallbacks: string[] })[] = [];
  for (const { upstream, dialect, model } of targets) {
    const last = candidates.at(-1);
    const isMerged = last?.upstream === upstream && upstream.kind === 'openrouter' && endpoint === undefined;
    if (isMerged && model !== undefined) last.fallbacks.push(model);
    else candidates.push({ upstream, dialect, model, fallbacks: [] });
  }
  return candidates;
}

/**
 * Only OpenRouter has a default model for the dialects, which each account sets for itself. Some
 * endpoints, such as moderations, have one at every upstream.
 */
function routeWithoutModel(
  upstreams: readonly Upstream[],
  dialect: Dialect,
  endpoint: Endpoint | undefined,
): RoutePlan {
  if (endpoint !== undefined) {
    const able = upstreams.find((upstream) => hasEndpoint(upstream, endpoint));
    if (able === undefined) throw missingEndpoint(endpoint, upstreams);
    return planFor(able, dialect);
  }
  const ofOpenRouter = upstreams.filter(({ kind }) => kind === 'openrouter');
  const upstream = ofOpenRouter.find(({ dialects }) => dialects.includes(dialect)) ?? ofOpenRouter[0];
  if (upstream === undefined)
    throw new PresetdError(
      'invalid_request',
      'The request names no model and no preset that sets one. Set "model" to "vendor/model" or "vendor/model@preset/slug".',
      { issues: [{ path: '/model', message: 'is required' }], code: 'no_upstream' },
    );
  return planFor(upstream, chooseDialect(upstream, dialect));
}

/** Routes a request without a model to one upstream. */
export function planFor(upstream: Upstream, dialect: Dialect): RoutePlan {
  return { candidates: [{ upstream, dialect, model: undefined, fallbacks: [] }], droppedFields: none };
}

function hasEndpoint({ endpoints }: Upstream, endpoint: Endpoint): boolean {
  return endpoints.includes(endpoint);
}

function unknownModel(model: string, upstreams: readonly Upstream[]): PresetdError {
  const served = upstreams.map(({ name, models }) => `${name} serves ${models.join(', ')}`).join('; ');
  return new PresetdError(
    'invalid_request',
    `No upstream serves the model ${JSON.stringify(model)}: ${served}.`,
    {
      issues: [{ path: '/model', message: 'must be a model that an upstream serves' }],
      code: 'no_upstream',
    },
  );
}

function missingEndpoint(endpoint: Endpoint, upstreams: readonly Upstream[], model?: string): PresetdError {
  const having = upstreams.map(({ name, endpoints }) => `${name} has ${endpoints.join(', ') || 'none'}`);
  const which = model === undefined ? '' : ` that serves the model ${JSON.stringify(model)}`;
  return new PresetdError(
    'invalid_request',
    `No upstream${which} has the endpoint ${endpoint}. Of the endpoints that are passed on, ${having.join('; ')}.`,
    {
      issues: [{ path: '/model', message: `must be a model of an upstream that has ${endpoint}` }],
      code: 'no_upstream',
    },
  );
}
