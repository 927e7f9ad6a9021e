import { Type } from '../../core/type.ts';
import { openUnion } from './combinators.ts';
import { domains, userLocation } from './web-search.ts';

const enabled = Type.Optional(Type.Boolean());

const modelNames = Type.Optional(Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 1024 }));

/** Common fields of the plugins that choose a model. */
const routerFields = {
  enabled,
  allowed_models: modelNames,
  excluded_models: modelNames,
  cost_tier: Type.Optional(Type.Enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  cost_quality_tradeoff: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
};

/** OpenRouter's plugins, identified by `id`. Plugins newer than presetd pass unchecked. */
const plugin = openUnion('id', [
  Type.Object({
    id: Type.Literal('auto-router'),
    ...routerFields,
    pin_model: Type.Optional(Type.Boolean()),
  }),
  Type.Object({ id: Type.Literal('auto-beta-router'), ...routerFields }),
  Type.Object({ id: Type.Literal('moderation') }),
  Type.Object({
    id: Type.Literal('web'),
    enabled,
    engine: Type.Optional(Type.String()),
    mode: Type.Optional(Type.String()),
    max_results: Type.Optional(Type.Integer()),
    max_uses: Type.Optional(Type.Integer()),
    search_prompt: Type.Optional(Type.String()),
    include_domains: Type.Optional(domains),
    exclude_domains: Type.Optional(domains),
    user_location: Type.Optional(userLocation),
  }),
  Type.Object({
    id: Type.Literal('web-fetch'),
    max_uses: Type.Optional(Type.Integer()),
    max_content_tokens: Type.Optional(Type.Integer()),
    allowed_domains: Type.Optional(domains),
    blocked_domains: Type.Optional(domains),
  }),
  Type.Object({
    id: Type.Literal('file-parser'),
    enabled,
    pdf: Type.Optional(Type.Object({ engine: Type.Optional(Type.String()) })),
  }),
  Type.Object({ id: Type.Literal('response-healing'), enabled }),
  Type.Object({ id: Type.Literal('context-compression'), enabled, engine: Type.Optional(Type.String()) }),
  Type.Object({
    id: Type.Literal('pareto-router'),
    enabled,
    max_price: Type.Optional(Type.Number({ minimum: 0 })),
    min_coding_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    price_source: Type.Optional(Type.Enum(['prompt', 'weighted_avg'])),
  }),
  Type.Object({
    id: Type.Literal('fusion'),
    enabled,
    preset: Type.Optional(Type.String({ description: "One of the plugin's presets, not of this server's." })),
    analysis_models: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 8 })),
    model: Type.Optional(Type.String()),
    max_tool_calls: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 })),
    tools: Type.Optional(Type.Array(Type.Object({ type: Type.String() }), { maxItems: 8 })),
  }),
  Type.Object({ id: Type.Literal('switchyard-router'), algorithm: Type.Optional(Type.String()) }),
]);

export const plugins = Type.Array(plugin);
