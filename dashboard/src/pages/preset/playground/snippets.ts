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
}

/**
 * Complete programs that call a preset and print the response, with the key from the environment.
 * Nothing is escaped: origins, slugs and pins that `parsePin` accepts contain no character that
 * would need it.
 */
export function snippetsFor(options: SnippetOptions): readonly Snippet[] {
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

function curl({ origin, reference }: SnippetOptions): string {
  return `curl ${origin}/api/v1/chat/completions \\
  -H "Authorization: Bearer $PRESETD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${reference}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'
`;
}

function openaiTypescript({ origin, reference }: SnippetOptions): string {
  return `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${origin}/api/v1',
  apiKey: process.env.PRESETD_API_KEY,
});
const completion = await client.chat.completions.create({
  model: '${reference}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(completion.choices[0]?.message.content);
`;
}

function openaiPython({ origin, reference }: SnippetOptions): string {
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
)
print(completion.choices[0].message.content)
`;
}

/**
 * The SDK appends /v1/messages itself. It also requires `max_tokens`, which overrides the preset,
 * so pass the preset's own value.
 */
function anthropicTypescript({ origin, reference, maxTokens = 1024 }: SnippetOptions): string {
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
});
for (const block of message.content) {
  if (block.type === 'text') console.log(block.text);
}
`;
}

function anthropicPython({ origin, reference, maxTokens = 1024 }: SnippetOptions): string {
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
)
for block in message.content:
    if block.type == "text":
        print(block.text)
`;
}

function openrouterTypescript({ origin, reference }: SnippetOptions): string {
  return `// npm install @openrouter/sdk
import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({
  serverURL: '${origin}/api/v1',
  apiKey: process.env.PRESETD_API_KEY,
});
const result = await client.chat.send({
  chatRequest: {
    model: '${reference}',
    messages: [{ role: 'user', content: 'Hello' }],
  },
});
if ('choices' in result) console.log(result.choices[0]?.message.content);
`;
}

function openrouterPython({ origin, reference }: SnippetOptions): string {
  return `# pip install openrouter
import os

from openrouter import OpenRouter

with OpenRouter(
    server_url="${origin}/api/v1",
    api_key=os.environ["PRESETD_API_KEY"],
) as client:
    result = client.chat.send(
        model="${reference}",
        messages=[{"role": "user", "content": "Hello"}],
    )
    print(result.choices[0].message.content)
`;
}
