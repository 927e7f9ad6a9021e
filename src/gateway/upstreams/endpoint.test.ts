import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { dialectOf } from '../../dialects/dialects.ts';
import { endpointProperties } from './endpoint.ts';

type CountTokens = Anthropic.MessageCountTokensParams & Anthropic.Beta.MessageCountTokensParams;
type InputTokens = OpenAI.Responses.InputTokenCountParams;
type Compact = OpenAI.Responses.ResponseCompactParams;

/** The fields that SDKs send. If a new version sends more, tsc reports it here. */
const sent = {
  'messages/count_tokens': {
    betas: true,
    cache_control: true,
    compaction: true,
    context_management: true,
    mcp_servers: true,
    messages: true,
    model: true,
    output_config: true,
    output_format: true,
    speed: true,
    system: true,
    thinking: true,
    tool_choice: true,
    tools: true,
    user_profile_id: true,
    workspace_id: true,
  } satisfies Record<keyof CountTokens, true>,
  'responses/input_tokens': {
    conversation: true,
    input: true,
    instructions: true,
    model: true,
    parallel_tool_calls: true,
    personality: true,
    previous_response_id: true,
    reasoning: true,
    text: true,
    tool_choice: true,
    tools: true,
    truncation: true,
  } satisfies Record<keyof InputTokens, true>,
  'responses/compact': {
    image: true,
    input: true,
    instructions: true,
    model: true,
    previous_response_id: true,
    prompt_cache_key: true,
    prompt_cache_options: true,
    prompt_cache_retention: true,
    service_tier: true,
  } satisfies Record<keyof Compact, true>,
} as const;

it.each(Object.keys(sent) as (keyof typeof sent)[])(
  'a call to %s keeps the preset fields that the endpoint accepts',
  (endpoint) => {
    const { dialect, presetFields = new Set() } = endpointProperties[endpoint];
    const taken = Object.keys(sent[endpoint]).filter(
      (name) => dialectOf[dialect].request.fields[name] === 'captured',
    );
    expect([...presetFields]).toEqual(expect.arrayContaining(taken));
    expect(
      [...presetFields].filter((name) => name !== 'models' && !Object.hasOwn(sent[endpoint], name)),
    ).toEqual([]);
  },
);
