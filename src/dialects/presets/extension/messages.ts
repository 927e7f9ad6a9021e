import type { Issue } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { asObject } from '../../../core/json/loose-json.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import { Type } from '../../../core/type.ts';
import { allDialects, dialectOf } from '../../dialects.ts';
import type { Role } from '../../model/content.ts';
import type { ContentFormat } from '../../model/dialect.ts';
import { closedUnion } from '../../schema/combinators.ts';
import { itemTypes } from './content-item.ts';

const formats = allDialects.map(({ content }) => content);

/** The parts of all dialects in one schema. `checkMessages` says which of them a dialect has. */
const contentPart = closedUnion('type', [
  Type.Object({
    ...Object.assign({}, ...formats.map(({ textSchema }) => textSchema.properties)),
    type: Type.Enum([...new Set(formats.flatMap(({ textTypes }) => Object.values(textTypes)))]),
  }),
  ...new Set(formats.flatMap(({ presetParts }) => presetParts.map(({ schema }) => schema))),
]);

/**
 * The schema of `presetd.messages`: turns that every call of the preset sends after the system
 * prompt and before its own messages. The stored size of a version limits their length.
 */
export const presetMessages = Type.Array(
  Type.Object(
    {
      role: Type.Enum(['user', 'assistant']),
      content: Type.Union([Type.String({ minLength: 1 }), Type.Array(contentPart, { minItems: 1 })]),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
);

/** A message that matches the schema. */
export interface PresetMessage {
  readonly role: Role;
  readonly content: string | readonly JsonObject[];
}

/**
 * Checks what the schema cannot: the parts that a dialect has in each role, and the order of roles.
 * Expects messages that match the schema. Paths start at the body of the request.
 *
 * Only presets of messages have to start with a user turn, because Anthropic requires it. Presets
 * of other dialects may start with a greeting, which calls of messages then drop.
 */
export function checkMessages(messages: readonly PresetMessage[], dialect: Dialect): readonly Issue[] {
  const issues = messages.flatMap(({ role, content }, index) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part, partIndex) =>
          checkPart(part, role, dialect, `/presetd/messages/${index}/content/${partIndex}`),
        ),
  );
  const startsWrong = dialectOf[dialect].conversation.startsWithUser && messages[0]?.role === 'assistant';
  if (!startsWrong) return issues;
  const message = 'must be "user", because Anthropic requires a conversation to start with a user turn';
  return [{ path: '/presetd/messages/0/role', message }, ...issues];
}

function checkPart(part: JsonObject, role: Role, dialect: Dialect, path: string): readonly Issue[] {
  const types = partTypes(dialectOf[dialect].content, role);
  if (!types.includes(part.type)) {
    const list = types.map((type) => JSON.stringify(type)).join(', ');
    return [{ path: `${path}/type`, message: `must be one of ${list} in a turn of the ${role}` }];
  }
  if (part.text === '') return [{ path: `${path}/text`, message: 'must not be empty' }];
  return checkSource(part, path);
}

/**
 * The types of parts in a role. OpenAI's input items are accepted in every dialect, as in the
 * variables of a prompt. No dialect accepts images, files or audio from the assistant.
 */
function partTypes({ textTypes, presetParts }: ContentFormat, role: Role): readonly unknown[] {
  const own = presetParts.filter((part) => part.role === role).map(({ type }) => type);
  const items = role === 'user' ? itemTypes : itemTypes.slice(0, 1);
  return [...new Set([textTypes[role], ...own, ...items])];
}

function checkSource(part: JsonObject, path: string): readonly Issue[] {
  const parts = formats.flatMap(({ presetParts }) => presetParts);
  const { sources, sourceField } = parts.find(({ type }) => type === part.type) ?? {};
  if (sources === undefined) return [];
  const [holder, holderPath] =
    sourceField === undefined ? [part, path] : [asObject(part[sourceField]), `${path}/${sourceField}`];
  const given = sources.filter((name) => holder[name] !== undefined && holder[name] !== null);
  if (given.length === 1) return [];
  return [{ path: holderPath, message: `must have exactly one of the fields ${sources.join(', ')}` }];
}
