import { PresetdError } from '../core/errors.ts';
import type { Dialect } from '../core/preset.ts';
import { modelCharactersMax } from '../core/preset-reference.ts';
import { invalidBody } from '../core/request-text.ts';
import type { GatewaySettings, Upstream } from './upstreams/upstream.ts';

/** One place to send a request to. */
export interface Candidate {
  readonly upstream: Upstream;
  /** As the request names it; undefined where it names none and the upstream chooses. */
  readonly model: string | undefined;
  /** What the upstream itself is to try after it, where it can. */
  readonly fallbacks: readonly string[];
}

export interface RoutePlan {
  /** In the order in which they are tried; at least one. */
  readonly candidates: readonly Candidate[];
  /** Models to fall back on that no upstream has. */
  readonly droppedFields: readonly string[];
}

/** Decides where a request can be sent, by the models that it names and the dialect that it is in. */
export type Router = (body: Readonly<Record<string, unknown>>, dialect: Dialect) => RoutePlan;

export function createRouter({ upstreams, attemptsMax }: GatewaySettings): Router {
  const routes = upstreams.map((upstream) => ({ upstream, hasModel: createModelMatcher(upstream.models) }));

  function upstreamFor(model: string, dialect: Dialect): Upstream | undefined {
    return routes.find(({ upstream, hasModel }) => upstream.dialects.includes(dialect) && hasModel(model))
      ?.upstream;
  }

  function required(model: string, dialect: Dialect): Upstream {
    const found = upstreamFor(model, dialect);
    if (found !== undefined) return found;
    const mute = routes.find(({ hasModel }) => hasModel(model))?.upstream;
    throw mute === undefined ? unknownModel(model, upstreams) : unspoken(model, dialect, mute);
  }

  return (body, dialect) => {
    const model = body.model || fallbackModels(body)[0];
    if (typeof model !== 'string') return unnamed(upstreams, dialect);
    const first = { model, upstream: required(model, dialect), fallbacks: [] };
    if (!Array.isArray(body.models)) return { candidates: [first], droppedFields: none };
    assertFew(body.models);
    const droppedFields: string[] = [];
    const targets: Target[] = [first];
    const seen = new Set([model]);
    for (const [index, name] of fallbackModels(body).entries()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const upstream = upstreamFor(name, dialect);
      if (upstream === undefined) droppedFields.push(`models.${index}`);
      else targets.push({ model: name, upstream });
    }
    return { candidates: grouped(targets).slice(0, attemptsMax), droppedFields };
  };
}

/** A star stands for any text, also for none. */
export function createModelMatcher(patterns: readonly string[]): (model: string) => boolean {
  if (patterns.includes('*')) return () => true;
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.split(/\*+/).map(RegExp.escape).join('.*')}$`, 's'),
  );
  return (model) => expressions.some((expression) => expression.test(model));
}

const none: readonly string[] = [];

/** More than anybody would try. */
const modelsMax = 100;

function assertFew(models: readonly unknown[]): void {
  if (models.length > modelsMax)
    throw invalidBody([{ path: '/models', message: `must have at most ${modelsMax} items` }]);
  const long = models.findIndex((name) => typeof name === 'string' && name.length > modelCharactersMax);
  if (long !== -1)
    throw invalidBody([
      { path: `/models/${long}`, message: `must be at most ${modelCharactersMax} characters long` },
    ]);
}

function fallbackModels({ models }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(models) ? models.filter((name) => typeof name === 'string') : [];
}

interface Target {
  readonly model: string;
  readonly upstream: Upstream;
}

/** An upstream that tries other models by itself gets those that follow at once, since it knows best which are up. */
function grouped(targets: readonly Target[]): Candidate[] {
  const candidates: (Candidate & { readonly fallbacks: string[] })[] = [];
  for (const { model, upstream } of targets) {
    const last = candidates.at(-1);
    if (last?.upstream === upstream && upstream.kind === 'openrouter') last.fallbacks.push(model);
    else candidates.push({ upstream, model, fallbacks: [] });
  }
  return candidates;
}

/** OpenRouter has a default model for every account; nobody else has. */
function unnamed(upstreams: readonly Upstream[], dialect: Dialect): RoutePlan {
  const upstream = upstreams.find(
    ({ kind, dialects }) => kind === 'openrouter' && dialects.includes(dialect),
  );
  if (upstream === undefined)
    throw new PresetdError(
      'invalid_request',
      'The request names no model, and no preset that does. Name one: "model": "vendor/model", or "vendor/model@preset/slug".',
      { issues: [{ path: '/model', message: 'is required' }] },
    );
  return { candidates: [{ upstream, model: undefined, fallbacks: [] }], droppedFields: [] };
}

function unknownModel(model: string, upstreams: readonly Upstream[]): PresetdError {
  const known = upstreams.map(({ name, models }) => `${name} has ${models.join(', ')}`).join('; ');
  return new PresetdError(
    'invalid_request',
    `No upstream has the model ${JSON.stringify(model)}: ${known}.`,
    {
      issues: [{ path: '/model', message: 'must be a model that an upstream has' }],
    },
  );
}

function unspoken(model: string, dialect: Dialect, { name, dialects }: Upstream): PresetdError {
  return new PresetdError(
    'invalid_request',
    `The upstream "${name}", which has the model ${JSON.stringify(model)}, does not take ${dialect} requests. It takes ${dialects.join(' and ')}.`,
    { issues: [{ path: '/model', message: `must be a model whose upstream takes ${dialect} requests` }] },
  );
}
