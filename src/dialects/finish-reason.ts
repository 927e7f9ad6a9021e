/** OpenRouter's word for why a response ended, from the word of any dialect. */
export function normalizeFinishReason(reason: string): string {
  return words[reason] ?? reason;
}

const words: Readonly<Record<string, string>> = {
  end: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  completed: 'stop',
  pause: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  incomplete: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  'tool-calls': 'tool_calls',
  function_call: 'tool_calls',
  refusal: 'content_filter',
  failed: 'error',
  cancelled: 'error',
};
