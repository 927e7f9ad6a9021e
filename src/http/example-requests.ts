const captures = {
  ChatCompletionsRequest: {
    model: 'openai/gpt-5',
    temperature: 0.2,
    messages: [
      { role: 'system', content: 'You answer for Acme. Be brief and kind.' },
      { role: 'user', content: 'Where is my parcel?' },
    ],
  },
  MessagesRequest: {
    model: 'anthropic/claude-opus-5',
    max_tokens: 1024,
    system: 'You answer for Acme. Be brief and kind.',
    messages: [{ role: 'user', content: 'Where is my parcel?' }],
  },
  ResponsesRequest: {
    model: 'openai/gpt-5',
    reasoning: { effort: 'low' },
    instructions: 'You answer for Acme. Be brief and kind.',
    input: 'Where is my parcel?',
  },
};

/**
 * Example bodies by schema name. The API reference shows them, and its "Try it out" sends them
 * unchanged, so they must be valid.
 */
export const exampleRequests: Readonly<Record<string, object>> = {
  ...captures,
  ChatCompletionsCall: captures.ChatCompletionsRequest,
  MessagesCall: captures.MessagesRequest,
  ResponsesCall: captures.ResponsesRequest,
};
