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

/** The status that a call returns if it is changed in this way. */
export type Expected = readonly [status: number, changes: Partial<Call>];

/** Sends calls and checks the responses against the server's OpenAPI document. */
export interface DocumentedCalls {
  send(call: Call, on?: TestServer): Promise<TestResponse>;
  check(operationId: string, status: number, response: TestResponse, about: object): void;
  /** Also requires that the responses cover every documented status. */
  expectAsDocumented(operationId: string, call: Call, expected: readonly Expected[]): Promise<void>;
}

export function documentedCalls(
  { server, limited, document, checks }: DocumentedServer,
  defaultKey: string,
): DocumentedCalls {
  const responsesOf = (operationId: string) =>
    operationsOf(document).find((operation) => operation.operationId === operationId)?.responses ?? {};

  const send = ({ method = 'GET', path, body, key = defaultKey, headers }: Call, on = server) =>
    on.send(method, `/api/v1${path}`, body, { key, ...(headers !== undefined && { headers }) });

  function check(operationId: string, status: number, response: TestResponse, about: object): void {
    expect([about, response.status, response.text]).toEqual([about, status, expect.any(String)]);
    if (status === 304) {
      expect(response.text).toBe('');
      expect(response.headers.get('content-type')).toBeNull();
      expect(resolvePointer(responsesOf(operationId), '/304/content')).toBeUndefined();
      return;
    }
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(checks.responseProblems(operationId, status, response.body)).toBeNull();
  }

  return {
    send,
    check,
    async expectAsDocumented(operationId, call, expected) {
      const seen = new Set<string>();
      for (const [status, changes] of expected) {
        const changed = { ...call, ...changes };
        check(operationId, status, await send(changed), changes);
        seen.add(String(status));
        if (status < 300 && changed.body !== undefined)
          expect([changes, checks.requestProblems(operationId, changed.body)]).toEqual([changes, null]);
      }
      await send(call, limited);
      check(operationId, 429, await send(call, limited), {});
      // Statuses that only a defect or an outage causes are tested elsewhere.
      const documented = Object.keys(responsesOf(operationId));
      expect([...seen, '429', '500', '503'].sort()).toEqual(documented.sort());
    },
  };
}
