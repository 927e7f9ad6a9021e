import type { JsonObject } from '../../../features/version-content/config-values.ts';
import { literal } from './literal.ts';

/** A code example. `title` is also its accessible name. */
export interface Snippet {
  readonly id: SnippetId;
  readonly title: string;
  readonly code: string;
}

export type SnippetId =
  | 'curl'
  | 'openai-typescript'
  | 'openai-python'
  | 'anthropic-typescript'
  | 'anthropic-python'
  | 'openrouter-typescript'
  | 'openrouter-python';

export interface SnippetOptions {
  /** Origin of this server, as clients reach it. */
  readonly origin: string;
  /** Sent as `model`, such as `@preset/support-bot@3`. */
  readonly reference: string;
  /** The preset's token limit, for clients that require one; 1024 if it has none. */
  readonly maxTokens?: number | undefined;
  /** Values for the variables of the preset; undefined if it has none. */
  readonly variables?: JsonObject | undefined;
}

/**
 * Complete programs that call a preset and print the response, with the key from the environment.
 * Only variables are escaped: origins, slugs and pins that `parsePin` accepts contain no character
 * that would need it.
 *
 * OpenRouter's SDKs drop unknown fields and know `prompt` only in responses, with texts as values.
 */
export function snippetsFor(options: SnippetOptions): readonly Snippet[] {
  const { variables } = options;
  const isSendable = Object.values(variables ?? {}).every((value) => typeof value === 'string');
  return allSnippets(options).filter(({ id }) => isSendable || !id.startsWith('openrouter'));
}

function allSnippets(options: SnippetOptions): readonly Snippet[] {
  return [
    { id: 'curl', title: 'curl', code: curl(options) },
    { id: 'openai-typescript', title: 'OpenAI TypeScript', code: openaiTypescript(options) },
    { id: 'openai-python', title: 'OpenAI Python', code: openaiPython(options) },
    { id: 'anthropic-typescript', title: 'Anthropic TypeScript', code: anthropicTypescript(options) },
    { id: 'anthropic-python', title: 'Anthropic Python', code: anthropicPython(options) },
    { id: 'openrouter-typescript', title: 'OpenRouter TypeScript', code: openrouterTypescript(options) },
    { id: 'openrouter-python', title: 'OpenRouter Python', code: openrouterPython(options) },
  ];
}

function curl({ origin, reference, variables }: SnippetOptions): string {
  const prompt = variables && `\n    "prompt": {"variables": ${shellQuoted(literal(variables, 'json'))}},`;
  return `curl ${origin}/api/v1/chat/completions \\
  -H "Authorization: Bearer $PRESETD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${reference}",${prompt ?? ''}
    "messages": [{"role": "user", "content": "Hello"}]
  }'
`;
}

function openaiTypescript({ origin, reference, variables }: SnippetOptions): string {
  return `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/api/v1',
  apiKey: process.env.PRESETD_API_KEY,
});
const completion = await client.chat.completions.create({
  model: '${reference}',
  messages: [{ role: 'user', content: 'Hello' }],
${promptTypescript(variables, 'OpenAI.ChatCompletionCreateParamsNonStreaming')}
console.log(completion.choices[0]?.message.content);
`;
}

function openaiPython({ origin, reference, variables }: SnippetOptions): string {
  return `# pip install openai
import os

from openai import OpenAI

client = OpenAI(
    base_url="${origin}/api/v1",
    api_key=os.environ["PRESETD_API_KEY"],
)
completion = client.chat.completions.create(
    model="${reference}",
    messages=[{"role": "user", "content": "Hello"}],
${promptPython(variables)})
print(completion.choices[0].message.content)
`;
}

/**
 * The SDK appends /v1/messages itself. It also requires `max_tokens`, which overrides the preset,
 * so pass the preset's own value.
 */
function anthropicTypescript(options: SnippetOptions): string {
  const { origin, reference, maxTokens = 1024, variables } = options;
  return `// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${origin}/api',
  apiKey: process.env.PRESETD_API_KEY,
});
const message = await client.messages.create({
  model: '${reference}',
  max_tokens: ${maxTokens},
  messages: [{ role: 'user', content: 'Hello' }],
${promptTypescript(variables, 'Anthropic.MessageCreateParamsNonStreaming')}
for (const block of message.content) {
  if (block.type === 'text') console.log(block.text);
}
`;
}

function anthropicPython({ origin, reference, maxTokens = 1024, variables }: SnippetOptions): string {
  return `# pip install anthropic
import os

from anthropic import Anthropic

client = Anthropic(
    base_url="${origin}/api",
    api_key=os.environ["PRESETD_API_KEY"],
)
message = client.messages.create(
    model="${reference}",
    max_tokens=${maxTokens},
    messages=[{"role": "user", "content": "Hello"}],
${promptPython(variables)})
for block in message.content:
    if block.type == "text":
        print(block.text)
`;
}

function openrouterTypescript({ origin, reference, variables }: SnippetOptions): string {
  const client = `// npm install @openrouter/sdk
import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({
  serverURL: '${origin}/api/v1',
  apiKey: process.env.PRESETD_API_KEY,
});
`;
  if (variables !== undefined)
    return `${client}const result = await client.responses.send({
  responsesRequest: {
    prompt: {
      id: '${reference}',
      variables: ${literal(variables, 'typescript', 6)},
    },
    input: 'Hello',
  },
});
for (const item of 'output' in result ? result.output : []) {
  if (item.type !== 'message' || typeof item.content === 'string') continue;
  for (const part of item.content ?? []) if ('text' in part) console.log(part.text);
}
`;
  return `${client}const result = await client.chat.send({
  chatRequest: {
    model: '${reference}',
    messages: [{ role: 'user', content: 'Hello' }],
  },
});
if ('choices' in result) console.log(result.choices[0]?.message.content);
`;
}

function openrouterPython({ origin, reference, variables }: SnippetOptions): string {
  const client = `# pip install openrouter
import os

from openrouter import OpenRouter

with OpenRouter(
    server_url="${origin}/api/v1",
    api_key=os.environ["PRESETD_API_KEY"],
) as client:
`;
  if (variables !== undefined)
    return `${client}    result = client.responses.send(
        prompt={
            "id": "${reference}",
            "variables": ${literal(variables, 'python', 12)},
        },
        input="Hello",
    )
    for item in result.output:
        if item.type == "message":
            print("".join(part.text for part in item.content))
`;
  return `${client}    result = client.chat.send(
        model="${reference}",
        messages=[{"role": "user", "content": "Hello"}],
    )
    print(result.choices[0].message.content)
`;
}

/** Ends the call. The SDK sends fields that its types do not know, hence the assertion. */
function promptTypescript(variables: JsonObject | undefined, type: string): string {
  if (variables === undefined) return '});';
  return `  prompt: { variables: ${literal(variables, 'typescript', 2)} },\n} as ${type});`;
}

function promptPython(variables: JsonObject | undefined): string {
  if (variables === undefined) return '';
  return `    extra_body={"prompt": {"variables": ${literal(variables, 'python', 4)}}},\n`;
}

/** For a text inside single quotes. */
function shellQuoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
