/** Schemas of web search settings, shared by tools, plugins and server tools. */

import { Type } from '../../core/type.ts';
import { nullable } from './combinators.ts';

export const domains = Type.Array(Type.String());

export const searchContextSize = Type.Enum(['low', 'medium', 'high']);

const locationPart = Type.Optional(nullable(Type.String()));

/** The location that search results are tailored to. Some dialects require the `type`. */
export const userLocation = nullable(
  Type.Object({
    type: Type.Optional(Type.Literal('approximate')),
    city: locationPart,
    country: locationPart,
    region: locationPart,
    timezone: locationPart,
  }),
);

/** Engines and modes change often upstream, so any name passes. */
export const webSearchFields = {
  engine: Type.Optional(Type.String()),
  mode: Type.Optional(Type.String()),
  max_results: Type.Optional(Type.Integer()),
  max_total_results: Type.Optional(Type.Integer()),
  max_uses: Type.Optional(Type.Integer()),
  max_characters: Type.Optional(Type.Integer()),
  search_context_size: Type.Optional(searchContextSize),
  allowed_domains: Type.Optional(domains),
  excluded_domains: Type.Optional(domains),
  user_location: Type.Optional(userLocation),
  x_search: Type.Optional(Type.Object({})),
};

/** The tool types for web search in both OpenAI dialects and in OpenRouter's shorthand. */
export const webSearchType = Type.Enum([
  'web_search',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'web_search_2025_08_26',
]);
