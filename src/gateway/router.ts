import { PresetdError } from '../core/errors.ts';
import type { Dialect } from '../core/presets/preset.ts';
import { modelCharactersMax } from '../core/presets/preset-reference.ts';
import { invalidBody } from '../core/request-issues.ts';
import type { GatewaySettings, Upstream } from './upstreams/upstream.ts';

/** A model at an upstream that a call may be sent to. */
export interface Candidate {
  readonly upstream: Upstream;
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
 * Decides by model and dialect which upstreams a request can be sent to. Throws `invalid_request`
 * if no upstream serves its model in its dialect.
 */
export type Router = (body: Readonly<Record<string, unknown>>, dialect: Dialect) => RoutePlan;

export function createRouter({ upstreams, attemptsMax }: GatewaySettings): Router {
  const routes = upstreams.map((upstream) => ({ upstream, hasModel: createModelMatcher(upstream.models) }));

  function findUpstream(model: string, dialect: Dialect): Upstream | undefined {
    return routes.find(({ upstream, hasModel }) => upstream.dialects.includes(dialect) && hasModel(model))
      ?.upstream;
  }

  function requireUpstream(model: string, dialect: Dialect): Upstream {
    const upstream = findUpstream(model, dialect);
    if (upstream !== undefined) return upstream;
    const other = routes.find(({ hasModel }) => hasModel(model))?.upstream;
    throw other === undefined ? unknownModel(model, upstreams) : unsupportedDialect(model, dialect, other);
  }

  return (body, dialect) => {
    const model = body.model || fallbackModels(body)[0];
    if (typeof model !== 'string') return routeWithoutModel(upstreams, dialect);
    const first = { model, upstream: requireUpstream(model, dialect), fallbacks: [] };
    if (!Array.isArray(body.models)) return { candidates: [first], droppedFields: none };
    assertWithinLimits(body.models);
    const droppedFields: string[] = [];
    const targets: Target[] = [first];
    const seen = new Set([model]);
    for (const [index, name] of fallbackModels(body).entries()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const upstream = findUpstream(name, dialect);
      if (upstream === undefined) droppedFields.push(`models.${index}`);
      else targets.push({ model: name, upstream });
    }
    return { candidates: toCandidates(targets).slice(0, attemptsMax), droppedFields };
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

interface Target {
  readonly model: string;
  readonly upstream: Upstream;
}

/**
 * Merges consecutive targets at OpenRouter into one candidate with fallbacks: it goes through them
 * itself, in one call, and knows best which models are up.
 */
function toCandidates(targets: readonly Target[]): Candidate[] {
  const candidates: (Candidate & { readonly fallbacks: string[] })[] = [];
  for (const { model, upstream } of targets) {
    const last = candidates.at(-1);
    if (last?.upstream === upstream && upstream.kind === 'openrouter') last.fallbacks.push(model);
    else candidates.push({ upstream, model, fallbacks: [] });
  }
  return candidates;
}

/** Only OpenRouter has a default model, which each account sets for itself. */
function routeWithoutModel(upstreams: readonly Upstream[], dialect: Dialect): RoutePlan {
  const upstream = upstreams.find(
    ({ kind, dialects }) => kind === 'openrouter' && dialects.includes(dialect),
  );
  if (upstream === undefined)
    throw new PresetdError(
      'invalid_request',
      'The request names no model and no preset that sets one. Set "model" to "vendor/model" or "vendor/model@preset/slug".',
      { issues: [{ path: '/model', message: 'is required' }] },
    );
  return { candidates: [{ upstream, model: undefined, fallbacks: [] }], droppedFields: [] };
}

function unknownModel(model: string, upstreams: readonly Upstream[]): PresetdError {
  const served = upstreams.map(({ name, models }) => `${name} serves ${models.join(', ')}`).join('; ');
  return new PresetdError(
    'invalid_request',
    `No upstream serves the model ${JSON.stringify(model)}: ${served}.`,
    {
      issues: [{ path: '/model', message: 'must be a model that an upstream serves' }],
    },
  );
}

function unsupportedDialect(model: string, dialect: Dialect, { name, dialects }: Upstream): PresetdError {
  return new PresetdError(
    'invalid_request',
    `The upstream "${name}", which serves the model ${JSON.stringify(model)}, does not support ${dialect} requests. It supports ${dialects.join(' and ')}.`,
    { issues: [{ path: '/model', message: `must be a model whose upstream supports ${dialect} requests` }] },
  );
}
