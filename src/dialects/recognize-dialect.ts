import { type Dialect, dialects } from '../core/preset.ts';
import { knownFields } from './known-fields.ts';

/**
 * The dialect in which a request body is written: the one that most of it speaks for. Undefined when nothing does.
 * Where nothing tells the two dialects with `messages` apart, it is chat completions, which most people write.
 */
export function recognizeDialect(body: object): Dialect | undefined {
  const hasMessages = Object.hasOwn(body, 'messages');
  if (hasMessages && Object.hasOwn(body, 'input')) return undefined;
  // Responses has no `messages`, so that it is out of the question where they are.
  const candidates = hasMessages ? dialects.filter((dialect) => dialect !== 'responses') : dialects;
  const hints = [...fieldHints(body, candidates), ...toolHints(body), ...messageHints(body)];
  const count = (dialect: Dialect) => hints.filter((hint) => hint === dialect).length;
  if (!hasMessages) return count('responses') > 0 ? 'responses' : undefined;
  // A tie goes to messages: without `system` and its like, a request is chat completions as it stands.
  const isMessages = count('messages') > 0 && count('messages') >= count('chat-completions');
  return isMessages ? 'messages' : 'chat-completions';
}

const fieldsOf: Readonly<Record<Dialect, object>> = {
  ...knownFields,
  // What SDKs and cloud providers add to the body, which no preset keeps.
  messages: { ...knownFields.messages, anthropic_version: null, anthropic_beta: null, betas: null },
};

/** Every field that only one of the candidates knows speaks for it. */
function fieldHints(body: object, candidates: readonly Dialect[]): readonly Dialect[] {
  return Object.keys(body).flatMap((name) => {
    const knowing = candidates.filter((dialect) => Object.hasOwn(fieldsOf[dialect], name));
    return knowing.length === 1 ? knowing : [];
  });
}

/** A function is declared in another way in each. */
function toolHints(body: object): readonly Dialect[] {
  return itemsOf(body, 'tools').flatMap((tool): readonly Dialect[] => {
    // Anything may stand here, also what cannot be made a text.
    const type = 'type' in tool && typeof tool.type === 'string' ? tool.type : '';
    if ('input_schema' in tool || /_20\d{6}$/.test(type)) return ['messages'];
    if ('function' in tool || 'custom' in tool) return ['chat-completions'];
    return type === 'function' && 'name' in tool ? ['responses'] : [];
  });
}

const chatRoles: readonly unknown[] = ['system', 'developer', 'tool', 'function'];
const chatParts: readonly unknown[] = ['image_url', 'input_audio', 'file'];
const messagesParts: readonly unknown[] = ['image', 'document', 'tool_use', 'tool_result', 'thinking'];

/** Roles that only chat completions has by itself, and the forms that content takes. */
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
