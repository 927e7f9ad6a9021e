import type Anthropic from '@anthropic-ai/sdk';
import { betaZodOutputFormat, betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import type OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import {
  betaMessagesRequests,
  type CapturedRequest,
  chatCompletionsRequests,
  messagesRequests,
  responsesRequests,
} from './captured/requests.ts';

export interface SdkClients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

/** One way to call an official SDK, and the system prompt of the call. */
export interface SdkCall {
  readonly title: string;
  readonly systemPrompt: string | null;
  send(clients: SdkClients): PromiseLike<unknown>;
}

/** Part of every conversation, to detect captures that save some of it. */
export const marker = 'marker-of-the-conversation';

const question = { role: 'user', content: marker } as const;
const systemPrompt = 'You are terse.';

export function sdkCalls(): readonly SdkCall[] {
  return [
    ...calls('chat.completions.create', chatCompletionsRequests, ({ openai }, body) =>
      openai.chat.completions.create(withQuestion(body)),
    ),
    ...calls('chat.completions.create, streaming', chatCompletionsRequests, ({ openai }, body) =>
      openai.chat.completions.create({
        ...withQuestion(body),
        stream: true,
        stream_options: { include_usage: true },
      }),
    ),
    ...calls('responses.create', responsesRequests, ({ openai }, body) =>
      openai.responses.create(withInput(body)),
    ),
    ...calls('responses.create, streaming', responsesRequests, ({ openai }, body) =>
      openai.responses.create({
        ...withInput(body),
        stream: true,
        stream_options: { include_obfuscation: false },
      }),
    ),
    ...calls('messages.create', messagesRequests, ({ anthropic }, body) =>
      anthropic.messages.create(withQuestion(body)),
    ),
    ...calls('messages.create, streaming', messagesRequests, ({ anthropic }, body) =>
      anthropic.messages.create({ ...withQuestion(body), stream: true }),
    ),
    ...calls('beta.messages.create', betaMessagesRequests, ({ anthropic }, body) =>
      anthropic.beta.messages.create(withQuestion(body)),
    ),
    ...calls('beta.messages.create, streaming', betaMessagesRequests, ({ anthropic }, body) =>
      anthropic.beta.messages.create({ ...withQuestion(body), stream: true }),
    ),
    ...openaiHelperCalls,
    ...anthropicHelperCalls,
  ];
}

const systemPrompts: Readonly<Record<string, string>> = {
  'a plain question with a system message': 'You are terse.',
  'a developer message in parts, and every sampling field': 'Answer in French.\nCite sources.',
  'a plain question with a system prompt': 'You are terse.',
  'cached system blocks, extended thinking and metadata':
    'Answer in French.\nCite sources.\n\nA word in between.',
  'a plain question with instructions': 'You are terse.',
  'messages with every kind of content': 'Answer in French.\n\nCite sources.',
};

function calls<Body>(
  method: string,
  requests: readonly CapturedRequest<Body>[],
  send: (clients: SdkClients, body: Body) => PromiseLike<unknown>,
): SdkCall[] {
  return requests.map(({ title, body }) => ({
    title: `${method}: ${title}`,
    systemPrompt: systemPrompts[title] ?? null,
    send: (clients) => send(clients, body),
  }));
}

function withQuestion<Body extends { messages: readonly unknown[] }>(body: Body): Body {
  return { ...body, messages: [...body.messages, question] };
}

/** A request without input stays unchanged, because that is a case of its own. */
function withInput<Body extends OpenAI.Responses.ResponseCreateParams>(body: Body): Body {
  if (body.input === undefined) return body;
  return { ...body, input: typeof body.input === 'string' ? marker : [...body.input, question] };
}

const weather = z.object({ city: z.string().describe('A city'), degrees: z.number().nullable() });

const openaiHelperCalls: readonly SdkCall[] = [
  {
    title: 'chat.completions.parse with a zod schema and tool',
    systemPrompt,
    send: ({ openai }) =>
      openai.chat.completions.parse({
        model: 'gpt-5.2',
        messages: [{ role: 'developer', content: systemPrompt }, question],
        response_format: zodResponseFormat(weather, 'answer'),
        tools: [zodFunction({ name: 'weather', parameters: weather })],
      }),
  },
  {
    title: 'chat.completions.stream with a zod schema',
    systemPrompt: null,
    send: ({ openai }) =>
      openai.chat.completions
        .stream({
          model: 'gpt-5.2',
          messages: [question],
          response_format: zodResponseFormat(weather, 'answer'),
        })
        .finalChatCompletion(),
  },
  {
    title: 'chat.completions.runTools',
    systemPrompt: null,
    send: ({ openai }) =>
      openai.chat.completions
        .runTools({
          model: 'gpt-5.2',
          messages: [question],
          tools: [zodFunction({ name: 'weather', parameters: weather, function: () => 'Rain' })],
        })
        .finalChatCompletion(),
  },
  {
    title: 'responses.parse with a zod schema and tool',
    systemPrompt,
    send: ({ openai }) =>
      openai.responses.parse({
        model: 'gpt-5.2',
        instructions: systemPrompt,
        input: [question],
        text: { format: zodTextFormat(weather, 'answer') },
        tools: [zodResponsesFunction({ name: 'weather', parameters: weather })],
      }),
  },
  {
    title: 'responses.stream with a zod schema',
    systemPrompt: null,
    send: ({ openai }) =>
      openai.responses
        .stream({ model: 'gpt-5.2', input: marker, text: { format: zodTextFormat(weather, 'answer') } })
        .finalResponse(),
  },
];

const anthropicHelperCalls: readonly SdkCall[] = [
  {
    title: 'messages.parse with a zod schema',
    systemPrompt,
    send: ({ anthropic }) =>
      anthropic.messages.parse({
        model: 'claude-opus-5',
        max_tokens: 100,
        system: systemPrompt,
        messages: [question],
        output_config: { format: zodOutputFormat(weather) },
      }),
  },
  {
    title: 'messages.stream',
    systemPrompt: null,
    send: ({ anthropic }) =>
      anthropic.messages
        .stream({ model: 'claude-opus-5', max_tokens: 100, messages: [question] })
        .finalMessage(),
  },
  {
    title: 'beta.messages.parse with a zod schema',
    systemPrompt: null,
    send: ({ anthropic }) =>
      anthropic.beta.messages.parse({
        model: 'claude-opus-5',
        max_tokens: 100,
        messages: [question],
        output_config: { format: betaZodOutputFormat(weather) },
      }),
  },
  {
    title: 'beta.messages.stream',
    systemPrompt,
    send: ({ anthropic }) =>
      anthropic.beta.messages
        .stream({
          model: 'claude-opus-5',
          max_tokens: 100,
          system: [{ type: 'text', text: systemPrompt }],
          messages: [question],
        })
        .finalMessage(),
  },
  {
    title: 'beta.messages.toolRunner',
    systemPrompt: null,
    send: ({ anthropic }) =>
      anthropic.beta.messages.toolRunner({
        model: 'claude-opus-5',
        max_tokens: 100,
        messages: [question],
        tools: [
          betaZodTool({
            name: 'weather',
            description: 'Looks it up',
            inputSchema: weather,
            run: () => 'Rain',
          }),
        ],
      }),
  },
];
