import { Type } from '../../core/type.ts';
import { audioPart, refusalPart } from '../openai/part-schemas.ts';
import { nullable, openUnion } from '../schema/combinators.ts';
import { promptCacheBreakpoint } from '../schema/prompt-caching.ts';

const optionalText = Type.Optional(nullable(Type.String()));

export const inputImage = Type.Object({
  type: Type.Literal('input_image'),
  detail: Type.Optional(nullable(Type.Enum(['auto', 'low', 'high', 'original']))),
  image_url: optionalText,
  file_id: optionalText,
});

export const inputFile = Type.Object({
  type: Type.Literal('input_file'),
  file_data: optionalText,
  file_id: optionalText,
  file_url: optionalText,
  filename: optionalText,
});

export const textPart = Type.Object({
  type: Type.Enum(['input_text', 'output_text', 'text']),
  text: Type.String(),
  prompt_cache_breakpoint: Type.Optional(promptCacheBreakpoint),
});

/** `output_text` and `refusal` appear when clients send back earlier responses. */
const contentPart = openUnion('type', [
  textPart,
  inputImage,
  inputFile,
  audioPart,
  Type.Object({ type: Type.Literal('input_video'), video_url: Type.String() }),
  refusalPart,
]);

const text = Type.Union([Type.String(), Type.Array(contentPart)]);

/** The type of a message is optional: the role identifies it. */
const message = Type.Object({
  type: Type.Optional(Type.Literal('message')),
  role: Type.Enum(['user', 'assistant', 'system', 'developer']),
  content: Type.Optional(nullable(text)),
  phase: Type.Optional(nullable(Type.Enum(['commentary', 'final_answer']))),
});

const call = { call_id: Type.String(), name: Type.String() };

/** Items that replay earlier output are only checked for what makes them usable. */
const item = openUnion('type', [
  message,
  Type.Object({ type: Type.Optional(nullable(Type.Enum(['item_reference']))), id: Type.String() }),
  Type.Object({ type: Type.Literal('function_call'), ...call, arguments: Type.String() }),
  Type.Object({ type: Type.Literal('function_call_output'), call_id: optionalText, output: text }),
  Type.Object({ type: Type.Literal('custom_tool_call'), ...call, input: Type.String() }),
  Type.Object({ type: Type.Literal('custom_tool_call_output'), call_id: Type.String(), output: text }),
  Type.Object({
    type: Type.Literal('reasoning'),
    summary: Type.Optional(nullable(Type.Array(Type.Object({ type: Type.String() })))),
    content: Type.Optional(nullable(Type.Array(Type.Object({ type: Type.String() })))),
    encrypted_content: optionalText,
  }),
  Type.Object({ type: Type.Literal('local_shell_call'), call_id: Type.String(), action: Type.Object({}) }),
  Type.Object({ type: Type.Literal('shell_call'), call_id: Type.String(), action: Type.Object({}) }),
  Type.Object({
    type: Type.Literal('shell_call_output'),
    call_id: Type.String(),
    output: Type.Array(Type.Object({})),
  }),
  Type.Object({
    type: Type.Literal('apply_patch_call'),
    call_id: Type.String(),
    operation: Type.Object({ type: Type.String() }),
  }),
  Type.Object({ type: Type.Literal('apply_patch_call_output'), call_id: Type.String() }),
  Type.Object({
    type: Type.Literal('mcp_list_tools'),
    server_label: Type.String(),
    tools: Type.Array(Type.Object({ name: Type.String() })),
  }),
  Type.Object({
    type: Type.Literal('mcp_approval_response'),
    approval_request_id: Type.String(),
    approve: Type.Boolean(),
  }),
  Type.Object({
    type: Type.Enum(['mcp_call', 'mcp_approval_request']),
    name: Type.String(),
    arguments: Type.String(),
    server_label: Type.String(),
  }),
  Type.Object({ type: Type.Literal('compaction'), encrypted_content: Type.String() }),
  Type.Object({
    type: Type.Literal('additional_tools'),
    role: Type.String(),
    tools: Type.Array(Type.Object({ type: Type.String() })),
  }),
]);

/** A string is short for one user message. */
export const input = Type.Union([Type.String(), Type.Array(item)]);
