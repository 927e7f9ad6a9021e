import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { createDraftSender, type DraftBody } from './draft-sender.ts';

const draft = (text: string): DraftBody => ({ text, dialect: 'chat-completions', base_version: 1 });

/** Accepts drafts as the server does, and counts their revisions. */
function fakeServer() {
  const ended = new AbortController();
  const server = {
    draft: undefined as DraftBody | undefined,
    revision: 0,
    /** Fails the next requests, before or after they took effect. */
    failures: [] as { readonly error: ApiError; readonly isApplied: boolean }[],
    /** Responses wait for it. */
    gate: undefined as Promise<void> | undefined,
    requests: [] as string[],
    end: () => ended.abort(),
    save(text: string) {
      server.draft = draft(text);
      server.revision += 1;
    },
    api: undefined as unknown as Api,
  };
  const etag = () => (server.draft === undefined ? undefined : `"${server.revision}"`);
  const apply = (method: string, headers: Record<string, string> = {}, body?: DraftBody) => {
    if (method === 'GET') {
      if (server.draft === undefined) throw new ApiError(404, 'No draft');
      return server.draft;
    }
    const isExpected = 'if-none-match' in headers ? etag() === undefined : headers['if-match'] === etag();
    if (!isExpected) throw new ApiError(412, 'Changed');
    server.draft = body;
    server.revision += 1;
    return body;
  };
  server.api = {
    ended: ended.signal,
    async call(route: string, input: { headers?: Record<string, string>; body?: DraftBody }) {
      const [method = ''] = route.split(' ');
      server.requests.push(input.body ? `${method} ${input.body.text}` : method);
      const failure = server.failures.shift();
      if (failure && !failure.isApplied) throw failure.error;
      const data = apply(method, input.headers, input.body);
      const headers = new Headers(etag() === undefined ? {} : { etag: etag() as string });
      await server.gate;
      if (failure) throw failure.error;
      return { content: { data }, headers };
    },
  } as unknown as Api;
  return server;
}

const lost = new ApiError(0, 'Cannot reach the server.');

describe('the sender of a draft', () => {
  const events = new EventTarget();
  let server: ReturnType<typeof fakeServer>;
  const newSender = () => createDraftSender(server.api, undefined, 'ada/1');
  /** Whether the browser would ask before closing the tab. */
  const asks = () => !events.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const pause = () => vi.advanceTimersByTimeAsync(800);

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('addEventListener', events.addEventListener.bind(events));
    sessionStorage.clear();
    server = fakeServer();
  });
  afterEach(() => {
    server.end();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  test('sends the newest text after a pause, and asks before the tab closes until then', async () => {
    const sender = newSender();
    sender.want(draft('a'));
    sender.want(draft('ab'));
    expect(sender.state.get().kind).toBe('saving');
    expect(asks()).toBe(true);
    await pause();
    expect(server.requests).toEqual(['PUT ab']);
    expect(sender.state.get().kind).toBe('saved');
    expect(asks()).toBe(false);
    // A discarded draft goes at once, before a reload can bring it back.
    sender.want(undefined);
    await vi.advanceTimersByTimeAsync(0);
    expect(server.draft).toBeUndefined();
  });

  test('has one request at a time, so it never conflicts with itself', async () => {
    const sender = newSender();
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    sender.want(draft('a'));
    await pause();
    // As by leaving the workbench while the request is in flight.
    sender.want(draft('ab'));
    sender.flush();
    await pause();
    expect(server.requests).toEqual(['PUT a']);
    gate.resolve();
    await pause();
    expect(server.draft?.text).toBe('ab');
    expect(sender.state.get().kind).toBe('saved');
  });

  test('retries while the server is unreachable, without a workbench on the page', async () => {
    const sender = newSender();
    server.failures.push({ error: lost, isApplied: false }, { error: lost, isApplied: false });
    sender.want(draft('a'));
    sender.flush();
    await pause();
    expect(sender.state.get().kind).toBe('offline');
    expect(asks()).toBe(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.draft?.text).toBe('a');
    expect(asks()).toBe(false);
  });

  test('retries at once when the browser is online again', async () => {
    const sender = newSender();
    server.failures.push({ error: lost, isApplied: false });
    sender.want(draft('a'));
    await pause();
    events.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
    expect(sender.state.get().kind).toBe('saved');
  });

  test('recognizes its own text after a lost response, even if more was typed since', async () => {
    const sender = newSender();
    server.failures.push({ error: lost, isApplied: true });
    sender.want(draft('a'));
    await pause();
    expect(sender.state.get().kind).toBe('offline');
    sender.want(draft('ab'));
    await pause();
    await pause();
    expect(sender.state.get().kind).toBe('saved');
    expect(server.draft?.text).toBe('ab');
  });

  test('does not overwrite the draft of another tab until the user decides', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs') });
    sender.want(draft('mine, too'));
    await pause();
    expect(server.draft?.text).toBe('theirs');
    expect(asks()).toBe(true);
    sender.replaceOther();
    await pause();
    expect(server.draft?.text).toBe('mine, too');
    expect(sender.state.get().kind).toBe('saved');
  });

  test('continues with the draft of another tab once it is on screen', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    sender.want(draft('theirs'));
    expect(sender.state.get().kind).toBe('saved');
    sender.want(draft('theirs, changed'));
    await pause();
    expect(server.draft?.text).toBe('theirs, changed');
  });

  test('does not repeat what the server rejects until the text changes', async () => {
    const sender = newSender();
    server.failures.push({ error: new ApiError(413, 'Too large'), isApplied: false });
    sender.want(draft('large'));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sender.state.get()).toEqual({ kind: 'failed', message: 'Too large' });
    expect(server.requests).toEqual(['PUT large']);
    sender.want(draft('small'));
    await pause();
    expect(server.draft?.text).toBe('small');
  });

  test('opens the newest draft: the text that is not sent yet, or that of the server', async () => {
    const sender = newSender();
    server.save('theirs');
    expect((await sender.open())?.text).toBe('theirs');
    const gate = Promise.withResolvers<void>();
    server.gate = gate.promise;
    sender.want(draft('mine'));
    sender.flush();
    expect((await sender.open())?.text).toBe('mine');
    expect(server.requests).toEqual(['GET', 'PUT mine']);
    gate.resolve();
    await pause();
    expect(sender.state.get().kind).toBe('saved');
    sender.want(undefined);
    expect(await sender.open()).toBeUndefined();
  });

  test('ends with the session', async () => {
    const sender = newSender();
    sender.want(draft('a'));
    server.end();
    sender.flush();
    await pause();
    expect(server.requests).toEqual([]);
    expect(asks()).toBe(false);
  });

  test('remembers across a reload what the server has', async () => {
    const sender = newSender();
    sender.want(draft('a'));
    await pause();
    const reloaded = newSender();
    expect(reloaded.hasReceived('a')).toBe(true);
    reloaded.want(draft('ab'));
    await pause();
    expect(reloaded.state.get().kind).toBe('saved');
    // A text from elsewhere must not replace the server's without a question.
    reloaded.forget();
    reloaded.want(draft('imported'));
    await pause();
    expect(reloaded.state.get().kind).toBe('conflict');
  });
});
