import type { Issue } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { allDialects } from '../dialects.ts';

/**
 * Warns of `cache_control` in parts of the system prompt: a version stores the prompt as one text,
 * and loses it. Expects a valid request of any dialect.
 */
export function findCacheWarnings(request: object): readonly Issue[] {
  const fields = request as JsonObject;
  const prompts = allDialects.flatMap(({ conversation: { promptField = '', list } }) => [
    ...cachedParts(fields[promptField], `/${promptField}`),
    ...systemContents(fields[list], `/${list}`),
  ]);
  return prompts.slice(0, 1).map((path) => ({
    path,
    message: 'is not saved, since a version stores the prompt as one text; set it on the request itself',
  }));
}

function systemContents(messages: unknown, path: string): readonly string[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown, index) => {
    const isSystem = isJsonObject(message) && (message.role === 'system' || message.role === 'developer');
    return isSystem ? cachedParts(message.content, `${path}/${index}/content`) : [];
  });
}

function cachedParts(content: unknown, path: string): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, index) =>
    isJsonObject(part) && part.cache_control != null ? [`${path}/${index}/cache_control`] : [],
  );
}
