import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checksOf, type DocumentChecks, resolvePointer } from '../compat/openapi-document.ts';
import { createDocumentedRequests, type DocumentedRequest } from './documented-requests.ts';
import { type FuzzedServer, startFuzzedServer } from './fuzzed-server.ts';
import { logProgress, sampledEngines, scale } from './scale.ts';
import { seed } from './seed.ts';

const concurrency = 4;

/** How often each operation is called on each engine. */
const rounds = scale(4, 200);

/** Upstreams may accept more than the document allows, so presetd does not validate these. */
const forwarded = new Set(['sendChatCompletionRequest', 'createMessages', 'createResponses']);

interface Counts {
  valid: number;
  succeeded: number;
}

describe.each(sampledEngines)('requests generated from the OpenAPI document on %s', (engine) => {
  let server: FuzzedServer;
  let checks: DocumentChecks;
  beforeAll(async () => {
    server = await startFuzzedServer(engine);
    checks = checksOf(server.document);
  });
  afterAll(() => server.stop());

  it('get documented responses', async () => {
    const { requestOf, operationCount } = createDocumentedRequests(server, checks);
    const counts = new Map<string, Counts>();
    let violations = 0;
    let next = 0;
    const work = async (end: number) => {
      while (next < end) {
        const index = next++;
        const request = requestOf(index);
        const response = await send(server.url, request);
        const text = await response.text();
        const problem = problemOf(request, response, text, checks);
        if (problem !== undefined) throw new Error(describeFinding(problem, index, request, response, text));
        if (request.violation !== undefined) violations += 1;
        if (request.violation !== undefined || request.isMutated) continue;
        const { operationId } = request.operation;
        const known = counts.get(operationId) ?? { valid: 0, succeeded: 0 };
        counts.set(operationId, known);
        known.valid += 1;
        if (response.status < 300) known.succeeded += 1;
      }
    };
    const neverSucceeded = () =>
      [...counts]
        .filter(([id, each]) => each.succeeded === 0 && !needsMore.has(id))
        .map(([operationId]) => operationId);
    // Concurrent requests, such as one that deactivates a member, can make another fail in every
    // round. The rounds for those that never succeeded therefore send one request at a time.
    const isEnough = (round: number) =>
      round > 2 * rounds || (round > rounds && neverSucceeded().length === 0);
    for (let round = 1; !isEnough(round); round += 1) {
      await server.renew();
      if (round % 20 === 0) logProgress(`${engine}: round ${round} of ${rounds}`);
      const length = round > rounds ? 1 : concurrency;
      await Promise.all(Array.from({ length }, () => work(round * operationCount)));
    }

    const count = next;
    const all = [...counts.values()];
    const valid = all.reduce((sum, each) => sum + each.valid, 0);
    const succeeded = all.reduce((sum, each) => sum + each.succeeded, 0);
    logProgress(
      `${engine}: ${count} requests, ${violations} invalid; ${succeeded} of ${valid} valid ones got 2xx`,
    );
    for (const [operationId, each] of counts)
      logProgress(`${engine}: ${operationId}: ${each.succeeded} of ${each.valid}`);
    // Each round uses one of two keys, so about half of the requests may lack permission.
    expect(succeeded / valid).toBeGreaterThan(0.4);
    expect(violations).toBeGreaterThan(count / 10);
    expect(neverSucceeded()).toEqual([]);
    expect(server.defects()).toEqual([]);
    expect(await server.works()).toBe(true);
  }, 3_600_000);
});

/**
 * Operations that need a session, a password, a link, a code or a WebSocket, which no generated
 * request has.
 */
const needsMore: ReadonlySet<string> = new Set([
  'connectResponses',
  'signInWithPassword',
  'signInWithLink',
  'pollDeviceSignIn',
  'updateAccount',
  'setPassword',
  'listSessions',
  'signOut',
  'getDeviceRequest',
  'decideDeviceRequest',
  'endSession',
  'endPersonSession',
  'endAllSessions',
]);

function send(url: string, { method, path, headers, body }: DocumentedRequest): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
}

function problemOf(
  { operation, violation }: DocumentedRequest,
  response: Response,
  text: string,
  checks: DocumentChecks,
): string | undefined {
  const { status } = response;
  const { operationId, responses } = operation;
  if (status >= 500) return 'the server failed';
  if (!Object.hasOwn(responses, status)) return 'the status is not documented';
  if (status < 300 && violation !== undefined && !forwarded.has(operationId))
    return `the request succeeded although it is invalid: ${violation}`;
  const content = resolvePointer(responses, `/${status}/content`) as object | undefined;
  if (content === undefined) return text === '' ? undefined : 'the response has an undocumented body';
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  if (!Object.hasOwn(content, type)) return `the response has the undocumented type "${type}"`;
  if (type !== 'application/json') return undefined;
  const problems = checks.responseProblems(operationId, status, JSON.parse(text));
  return problems === null
    ? undefined
    : `the response does not match the document: ${JSON.stringify(problems)}`;
}

function describeFinding(
  problem: string,
  index: number,
  { operation, method, path, headers, body }: DocumentedRequest,
  { status }: Response,
  text: string,
): string {
  return [
    `${problem}: request ${index} of PROOF_SEED=${seed}, ${operation.operationId}`,
    `${method} ${path} ${JSON.stringify(headers)}`,
    `body: ${body?.slice(0, 4_000)}`,
    `response: ${status} ${text.slice(0, 2_000)}`,
  ].join('\n');
}
