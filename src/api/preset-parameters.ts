import { slugPattern } from '../core/preset-slug.ts';
import { tagPattern, tagRule, tagsMax } from '../core/presets/tag.ts';
import { Type } from '../core/type.ts';
import { pageQuery } from './schema-parts.ts';

// Parameters and headers that the operations on presets share.

/** The pattern is for the API reference; the core validates names and explains the rule. */
export const presetName = (description: string) =>
  Type.String({
    pattern: slugPattern,
    description: `${description}: 1 to 128 characters of \`A-Z a-z 0-9 - . _ ~\`, case-sensitive; not \`.\` or \`..\`.`,
  });

export const slugParam = { slug: presetName('The slug of the preset, or an alias') };

export const slugParams = Type.Object(slugParam);

/** API keys belong to one workspace; they may name it, but no other. */
export const workspaceQuery = Type.Object({
  workspace_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'For a management key: the workspace to use. Default: the default workspace.',
    }),
  ),
});

export const workspacePageQuery = Type.Object({ ...workspaceQuery.properties, ...pageQuery.properties });

/** All tags of a preset. */
export const tagList = (description: string) =>
  Type.Array(Type.String({ pattern: tagPattern, 'x-must': tagRule }), {
    maxItems: tagsMax,
    uniqueItems: true,
    description,
  });

const entityTag = '(W/)?"[!#-~\\u0080-\\u00ff]*"';

/** For the OpenAPI document; `preconditionOf` validates. */
export const ifMatchOf = (noun: 'preset' | 'draft') =>
  Type.Object({
    'if-match': Type.Optional(
      Type.String({
        pattern: `^(\\*|${entityTag}([ \\t]*,[ \\t]*${entityTag})*)$`,
        description: `The write succeeds only if the ${noun} still has this ETag, or one of a list. \`*\` matches any existing ${noun}.`,
      }),
    ),
  });

export const ifMatch = ifMatchOf('preset');

/** For writes that create what must not exist yet. */
export const ifNoneMatchAny = (noun: 'preset' | 'draft') => ({
  'if-none-match': Type.Optional(
    Type.Unsafe<string>({ type: 'string', enum: ['*'], description: `The ${noun} must not exist yet.` }),
  ),
});

/** For reads. The response is 304 if the client's copy is current. */
export const ifNoneMatch = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({
      description: 'The ETag of your cached copy. If it is current, the response is 304 without a body.',
    }),
  ),
});
