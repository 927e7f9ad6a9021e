import { type Dialect, dialects } from '../core/presets/preset.ts';
import { knownFields } from './known-fields.ts';

/**
 * Guesses the dialect of a request body from the fields, tools and messages that are typical of
 * one. Returns undefined if nothing is typical. A body with `messages` and nothing else to tell it
 * by is chat completions, the most common dialect.
 */
export function recognizeDialect(body: object): Dialect | undefined {
  const hasMessages = Object.hasOwn(body, 'messages');
  if (hasMessages && Object.hasOwn(body, 'input')) return undefined;
  const hints = hintsOf(body);
  const count = (dialect: Dialect) => hints.filter((hint) => hint === dialect).length;
  if (!hasMessages) return count('responses') > 0 ? 'responses' : undefined;
  // Messages wins a tie: a request without any of its hints is chat completions already.
  const isMessages = count('messages') > 0 && count('messages') >= count('chat-completions');
  return isMessages ? 'messages' : 'chat-completions';
}

/** The dialect that all hints agree on; undefined without hints, or if they differ. */
export function typicalDialect(body: object): Dialect | undefined {
  const [first, ...others] = new Set(hintsOf(body));
  return others.length === 0 ? first : undefined;
}

function hintsOf(body: object): readonly Dialect[] {
  // Responses has no `messages`.
  const candidates = Object.hasOwn(body, 'messages')
    ? dialects.filter((dialect) => dialect !== 'responses')
    : dialects;
  return [...fieldHints(body, candidates), ...toolHints(body), ...messageHints(body)];
}

const fieldsOf: Readonly<Record<Dialect, object>> = {
  ...knownFields,
  // SDKs and cloud providers add these to the body. Captures ignore them.
  messages: { ...knownFields.messages, anthropic_version: null, anthropic_beta: null, betas: null },
};

/** One hint for each field that exactly one of the candidates knows. */
function fieldHints(body: object, candidates: readonly Dialect[]): readonly Dialect[] {
  return Object.keys(body).flatMap((name) => {
    const matches = candidates.filter((dialect) => Object.hasOwn(fieldsOf[dialect], name));
    return matches.length === 1 ? matches : [];
  });
}

/** Each dialect declares functions differently. */
function toolHints(body: object): readonly Dialect[] {
  return itemsOf(body, 'tools').flatMap((tool): readonly Dialect[] => {
    // The body is not validated: `type` may even be an object that throws when converted to a
    // string.
    const type = 'type' in tool && typeof tool.type === 'string' ? tool.type : '';
    if ('input_schema' in tool || /_20\d{6}$/.test(type)) return ['messages'];
    if ('function' in tool || 'custom' in tool) return ['chat-completions'];
    return type === 'function' && 'name' in tool ? ['responses'] : [];
  });
}

const chatRoles: readonly unknown[] = ['system', 'developer', 'tool', 'function'];
const chatParts: readonly unknown[] = ['image_url', 'input_audio', 'file'];
const messagesParts: readonly unknown[] = ['image', 'document', 'tool_use', 'tool_result', 'thinking'];

/** Roles that are typical of chat completions, and content types that only one dialect has. */
function messageHints(body: object): readonly Dialect[] {
  return itemsOf(body, 'messages').flatMap((message): readonly Dialect[] => {
    if ('role' in message && chatRoles.includes(message.role)) return ['chat-completions'];
    const types = itemsOf(message, 'content').map((part) => ('type' in part ? part.type : undefined));
    if (types.some((type) => chatParts.includes(type))) return ['chat-completions'];
    return types.some((type) => messagesParts.includes(type)) ? ['messages'] : [];
  });
}

function itemsOf(value: object, name: string): readonly object[] {
  const list: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}
