/** Counting the tokens of a messages request for upstreams that cannot do it. */

import { headerNames } from '../../core/header-names.ts';
import type { Measurements } from '../../core/measurements.ts';
import { invalidBody } from '../../core/request-issues.ts';
import type { Call } from '../call.ts';
import type { AppliedCall } from '../plan/resolve-and-apply-preset.ts';
import type { Candidate } from '../plan/router.ts';
import { adaptToUpstream } from '../request/adapt-to-upstream.ts';
import { ClientResponse } from '../response/client-response.ts';
import { findCountableContent } from './countable-content.ts';
import type { Tokenizer } from './tokenizer.ts';

/** Whether presetd has to count the tokens of a call itself. */
export function needsTokenEstimate({ relayed }: Call, { dialect, upstream }: Candidate): boolean {
  if (relayed?.endpoint !== 'messages/count_tokens') return false;
  return dialect !== 'messages' || !upstream.endpoints.includes('messages/count_tokens');
}

/** Responds like Anthropic's endpoint, with a count of what the upstream would get. */
export async function sendTokenEstimate(
  call: Call,
  applied: AppliedCall,
  candidate: Candidate,
  tokenizer: Tokenizer,
  measurements: Measurements,
): Promise<void> {
  const { dialect, upstream } = candidate;
  if (!Array.isArray(applied.body.messages))
    throw invalidBody([{ path: '/messages', message: 'must be a list of messages' }]);
  const source = dialect === call.dialect ? applied : applied.translate(dialect);
  const { text, tokens } = findCountableContent(adaptToUpstream(source.body, dialect, upstream.kind).body);
  const estimate = { input_tokens: tokens + (await tokenizer.count(text)) };
  if (call.response.destroyed) return;
  new ClientResponse(call, candidate, measurements).sendJson(JSON.stringify(estimate), [
    headerNames.estimated,
    'true',
  ]);
}
