import { expect } from 'vitest';
import type { TestResponse, TestServer } from '../support/server.ts';
import type { DocumentedServer } from './documented-server.ts';
import { operationsOf, resolvePointer } from './openapi-document.ts';

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a call that is changed in this way is answered. */
export type Expected = readonly [status: number, changes: Partial<Call>];

/** Calls whose answers are held against the document of their server. */
export interface DocumentedCalls {
  send(call: Call, on?: TestServer): Promise<TestResponse>;
  check(operationId: string, status: number, answer: TestResponse, about: object): void;
  /** Asks also that all that the document tells of is among the answers. */
  expectAsDocumented(operationId: string, call: Call, answers: readonly Expected[]): Promise<void>;
}

export function documentedCalls(
  { server, limited, document, checks }: DocumentedServer,
  usualKey: string,
): DocumentedCalls {
  const responsesOf = (operationId: string) =>
    operationsOf(document).find((operation) => operation.operationId === operationId)?.responses ?? {};

  const send = ({ method = 'GET', path, body, key = usualKey, headers }: Call, on = server) =>
    on.send(method, `/api/v1${path}`, body, { key, ...(headers !== undefined && { headers }) });

  function check(operationId: string, status: number, answer: TestResponse, about: object): void {
    expect([about, answer.status, answer.text]).toEqual([about, status, expect.any(String)]);
    if (status === 304) {
      expect(answer.text).toBe('');
      expect(answer.headers.get('content-type')).toBeNull();
      expect(resolvePointer(responsesOf(operationId), '/304/content')).toBeUndefined();
      return;
    }
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(checks.answerProblems(operationId, status, answer.body)).toBeNull();
  }

  return {
    send,
    check,
    async expectAsDocumented(operationId, call, answers) {
      const seen = new Set<string>();
      for (const [status, changes] of answers) {
        const changed = { ...call, ...changes };
        check(operationId, status, await send(changed), changes);
        seen.add(String(status));
        if (status < 300 && changed.body !== undefined)
          expect([changes, checks.requestProblems(operationId, changed.body)]).toEqual([changes, null]);
      }
      await send(call, limited);
      check(operationId, 429, await send(call, limited), {});
      // What only a defect or an outage brings is tested elsewhere.
      const documented = Object.keys(responsesOf(operationId));
      expect([...seen, '429', '500', '503'].sort()).toEqual(documented.sort());
    },
  };
}
