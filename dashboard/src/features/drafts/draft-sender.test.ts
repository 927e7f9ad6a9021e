import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import { createDraftSender, type DraftBody, draftSenderOf } from './draft-sender.ts';

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
    /** The preset, the workspace and the signal of the last request. */
    target: {},
    end: () => ended.abort(),
    save(text: string) {
      server.draft = draft(text);
      server.revision += 1;
    },
    discard() {
      server.draft = undefined;
    },
    /** Loses the responses to the next requests. */
    lose(...isApplied: readonly boolean[]) {
      server.failures.push(...isApplied.map((applied) => ({ error: lost, isApplied: applied })));
    },
    /** Responds to no request until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.gate = promise;
      return resolve;
    },
    api: undefined as unknown as Api,
  };
  const etag = () => (server.draft === undefined ? undefined : `"${server.revision}"`);
  const apply = (method: string, headers: Record<string, string> = {}, body?: DraftBody) => {
    if (method === 'GET') {
      if (server.draft === undefined) throw new ApiError(404, 'No draft');
      return server.draft;
    }
    if (Object.values(headers).every((value) => value === undefined))
      throw new Error(`An unconditional ${method} could overwrite the draft of another tab`);
    const isExpected = 'if-none-match' in headers ? etag() === undefined : headers['if-match'] === etag();
    if (!isExpected) throw new ApiError(412, 'Changed');
    if ((method === 'DELETE') !== (body === undefined)) throw new ApiError(400, 'A PUT has a body');
    server.draft = body;
    server.revision += 1;
    return body;
  };
  server.api = {
    ended: ended.signal,
    async call(
      route: string,
      input: { headers?: Record<string, string>; body?: DraftBody; params: object; query: object },
      { signal }: { signal?: AbortSignal } = {},
    ) {
      const [method = ''] = route.split(' ');
      server.target = { ...input.params, ...input.query, signal };
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
const failure = (status: number) => ({ error: new ApiError(status, `Error ${status}`), isApplied: false });

describe('the sender of a draft', () => {
  const events = new EventTarget();
  let server: ReturnType<typeof fakeServer>;
  const newSender = () => createDraftSender(server.api, undefined, 'ada/1');
  /** Whether the browser would ask before closing the tab. */
  const asks = () => !events.dispatchEvent(new Event('beforeunload', { cancelable: true }));
  const pause = () => vi.advanceTimersByTimeAsync(800);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  /** A sender and a server that agree on a draft. */
  const syncedSender = async (text = 'a') => {
    const sender = newSender();
    sender.want(draft(text));
    await pause();
    server.requests = [];
    return sender;
  };

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
    await settle();
    expect(server.draft).toBeUndefined();
  });

  test('has one request at a time, so it never conflicts with itself', async () => {
    const sender = newSender();
    const respond = server.hold();
    sender.want(draft('a'));
    await pause();
    // As by leaving the workbench while the request is in flight.
    sender.want(draft('ab'));
    sender.flush();
    await pause();
    expect(server.requests).toEqual(['PUT a']);
    respond();
    await pause();
    expect(server.draft?.text).toBe('ab');
    expect(sender.state.get().kind).toBe('saved');
  });

  test('retries while the server is unreachable, without a workbench on the page', async () => {
    const sender = newSender();
    server.lose(false, false);
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
    server.lose(false);
    sender.want(draft('a'));
    await pause();
    events.dispatchEvent(new Event('online'));
    await settle();
    expect(sender.state.get().kind).toBe('saved');
  });

  test('recognizes its own text after a lost response, even if more was typed since', async () => {
    const sender = newSender();
    server.lose(true);
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

  test('notices that another tab has replaced or discarded the draft, without anything to send', async () => {
    const sender = await syncedSender('mine');
    await sender.check('12:00');
    expect(sender.state.get().kind).toBe('saved');
    server.save('theirs');
    server.lose(false);
    await sender.check('12:01');
    expect(sender.state.get().kind).toBe('saved');
    await sender.check('12:01');
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs') });
    sender.want(draft('theirs'));
    expect(sender.state.get().kind).toBe('saved');
    server.discard();
    await sender.check('no draft');
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: undefined });
    sender.replaceOther();
    await pause();
    expect(server.draft?.text).toBe('theirs');
  });

  test('reads the draft once for each change of it', async () => {
    const sender = await syncedSender('mine');
    for (const changedAt of ['12:00', '12:00', '12:01', '12:01']) await sender.check(changedAt);
    expect(server.requests).toEqual(['GET', 'GET']);
  });

  test('follows the other tab during a conflict, until both have the same text', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    server.save('theirs, changed');
    server.lose(false);
    await sender.check('12:01');
    await sender.check('12:01');
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs, changed') });
    server.discard();
    await sender.check('no draft');
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: undefined });
    server.save('mine');
    await sender.check('12:02');
    expect(sender.state.get().kind).toBe('saved');
    expect(asks()).toBe(false);
  });

  test('keeps the choice that the user makes during a check', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    const respond = server.hold();
    const checking = sender.check('12:01');
    await settle();
    sender.replaceOther();
    respond();
    await checking;
    expect(sender.state.get().kind).toBe('saving');
    await pause();
    expect(server.draft?.text).toBe('mine');
  });

  test('does not look for changes while it has something to send', async () => {
    const sender = await syncedSender();
    sender.want(draft('mine'));
    await sender.check('12:00');
    expect(server.requests).toEqual([]);
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
    const respond = server.hold();
    sender.want(draft('mine'));
    sender.flush();
    expect((await sender.open())?.text).toBe('mine');
    expect(server.requests).toEqual(['GET', 'PUT mine']);
    respond();
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

  test('starts the pause anew for each change', async () => {
    const sender = newSender();
    sender.want(draft('a'));
    await vi.advanceTimersByTimeAsync(500);
    sender.want(draft('ab'));
    // Only an outage makes it hurry.
    events.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(500);
    expect(server.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(300);
    expect(server.requests).toEqual(['PUT ab']);
  });

  test('is still saving after a response if more was typed since the request', async () => {
    const sender = newSender();
    const respond = server.hold();
    sender.want(draft('a'));
    await vi.advanceTimersByTimeAsync(800);
    sender.want(draft('ab'));
    respond();
    await settle();
    expect(server.requests).toEqual(['PUT a']);
    expect(sender.state.get().kind).toBe('saving');
    await pause();
    expect(server.requests).toEqual(['PUT a', 'PUT ab']);
    expect(sender.state.get().kind).toBe('saved');
  });

  test('sends nothing if a change was taken back before its turn', async () => {
    const sender = newSender();
    const respond = server.hold();
    sender.want(draft('a'));
    sender.flush();
    await settle();
    sender.want(draft('ab'));
    sender.flush();
    sender.want(draft('a'));
    respond();
    await pause();
    expect(server.requests).toEqual(['PUT a']);
    expect(sender.state.get().kind).toBe('saved');
  });

  test('makes one attempt per retry, however often send is called', async () => {
    const sender = newSender();
    const respond = server.hold();
    server.lose(true, false);
    sender.want(draft('a'));
    sender.flush();
    // The pause ends while the request is in flight.
    await pause();
    respond();
    await settle();
    expect(server.requests).toEqual(['PUT a']);
    sender.flush();
    sender.flush();
    await settle();
    expect(server.requests).toEqual(['PUT a', 'PUT a']);
  });

  test.each([429, 500, 503])('retries after a status %s', async (status) => {
    const sender = newSender();
    server.failures.push(failure(status));
    sender.want(draft('a'));
    await pause();
    expect(sender.state.get().kind).toBe('offline');
    // More text does not end the outage.
    sender.want(draft('ab'));
    expect(sender.state.get().kind).toBe('offline');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.draft?.text).toBe('ab');
    expect(sender.state.get().kind).toBe('saved');
  });

  test('reports that the preset does not exist any more, and does not retry', async () => {
    const sender = newSender();
    server.failures.push(failure(404));
    sender.want(draft('a'));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(sender.state.get()).toEqual({ kind: 'failed', message: 'Error 404' });
    expect(server.requests).toEqual(['PUT a']);
  });

  test('has nothing to discard if the preset does not exist any more', async () => {
    const sender = await syncedSender();
    server.discard();
    server.failures.push(failure(404));
    sender.want(undefined);
    await settle();
    expect(sender.state.get().kind).toBe('saved');
    expect(asks()).toBe(false);
  });

  test('reports that the server refuses to discard a draft', async () => {
    const sender = await syncedSender();
    server.failures.push(failure(403));
    sender.want(undefined);
    await settle();
    expect(sender.state.get()).toEqual({ kind: 'failed', message: 'Error 403' });
  });

  test('discards a draft although the response that saved it was lost', async () => {
    const sender = newSender();
    server.lose(true);
    sender.want(draft('a'));
    await pause();
    sender.want(undefined);
    expect(asks()).toBe(true);
    await settle();
    expect(server.draft).toBeUndefined();
    expect(server.requests).toEqual(['PUT a', 'GET', 'DELETE']);
    expect(sender.state.get().kind).toBe('saved');
  });

  test('discards a draft although the response to its last change was lost', async () => {
    const sender = await syncedSender();
    server.lose(true);
    sender.want(draft('ab'));
    await pause();
    sender.want(undefined);
    await pause();
    expect(server.draft).toBeUndefined();
    expect(server.requests).toEqual(['PUT ab', 'DELETE', 'GET', 'DELETE']);
  });

  test('recognizes that a draft is discarded although the response was lost', async () => {
    const sender = await syncedSender();
    server.lose(true);
    sender.want(undefined);
    await settle();
    expect(sender.state.get().kind).toBe('offline');
    // The user has typed again since.
    sender.want(draft('b'));
    await pause();
    await pause();
    expect(server.draft?.text).toBe('b');
    expect(sender.state.get().kind).toBe('saved');
  });

  test.each([
    ['nothing', undefined],
    ['the draft of another tab', 'theirs'],
  ])('discards a text that never arrived: the server keeps %s', async (_, text) => {
    const sender = newSender();
    server.lose(false);
    sender.want(draft('a'));
    await pause();
    if (text !== undefined) server.save(text);
    sender.want(undefined);
    await settle();
    expect(server.requests).toEqual(['PUT a', 'GET']);
    expect(server.draft?.text).toBe(text);
    expect(sender.state.get().kind).toBe('saved');
  });

  test.each([
    [20, 'saved'],
    [21, 'conflict'],
  ])('after %i lost responses and the first text arriving, its state is %s', async (count, state) => {
    const sender = newSender();
    server.lose(true, ...Array.from({ length: count - 1 }, () => false));
    for (let number = 0; number < count; number += 1) {
      sender.want(draft(`text ${number}`));
      await pause();
    }
    sender.want(draft('last text'));
    await pause();
    await pause();
    expect(sender.state.get().kind).toBe(state);
  });

  test('does not ask if the other tab has the same text', async () => {
    const sender = newSender();
    server.save('a');
    sender.want(draft('a'));
    await pause();
    expect(sender.state.get().kind).toBe('saved');
    sender.want(draft('ab'));
    await pause();
    expect(server.draft?.text).toBe('ab');
  });

  test('asks before it brings back a draft that another tab has discarded', async () => {
    const sender = await syncedSender();
    server.discard();
    sender.want(draft('ab'));
    await pause();
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: undefined });
    sender.replaceOther();
    await pause();
    expect(server.draft?.text).toBe('ab');
  });

  test('asks before it discards the draft of another tab', async () => {
    const sender = await syncedSender();
    server.save('theirs');
    sender.want(undefined);
    await settle();
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs') });
    sender.replaceOther();
    await settle();
    expect(server.draft).toBeUndefined();
  });

  test('sends nothing during a conflict, also when the user leaves', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    server.requests = [];
    sender.want(draft('mine, too'));
    sender.flush();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(server.requests).toEqual([]);
  });

  test('forgets a conflict for a text from elsewhere', async () => {
    const sender = newSender();
    server.save('theirs');
    sender.want(draft('mine'));
    await pause();
    sender.forget();
    expect(sender.state.get().kind).toBe('saved');
    expect(sender.isUnsent()).toBe(false);
  });

  test('retries if it cannot read the draft of the other tab', async () => {
    const sender = await syncedSender();
    server.save('theirs');
    server.failures.push(failure(412), { error: lost, isApplied: false });
    sender.want(draft('ab'));
    await pause();
    expect(sender.state.get().kind).toBe('offline');
    // Taken back: nothing is left to be sent.
    sender.want(draft('a'));
    expect(sender.state.get().kind).toBe('saved');
    sender.want(draft('ab'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs') });
  });

  test('opens the text that was restored while the draft of the server was loading', async () => {
    const sender = newSender();
    server.save('theirs');
    const respond = server.hold();
    const opened = sender.open();
    await settle();
    sender.want(draft('restored'));
    respond();
    expect((await opened)?.text).toBe('restored');
    expect(sender.hasReceived('theirs')).toBe(false);
    await pause();
    // The server's draft was not on screen, so it is not replaced without a question.
    expect(sender.state.get()).toEqual({ kind: 'conflict', other: draft('theirs') });
  });

  test('sends a change of the format or of the base version, too', async () => {
    const sender = await syncedSender();
    sender.want({ ...draft('a'), base_version: 2 });
    await pause();
    expect(server.draft?.base_version).toBe(2);
    sender.want({ ...draft('a'), base_version: 2, dialect: 'messages' });
    await pause();
    expect(server.draft?.dialect).toBe('messages');
  });

  test('has nothing to send if another client left the format of the draft open', async () => {
    const sender = newSender();
    server.draft = { ...draft('a'), dialect: null };
    expect(await sender.open()).toEqual({ ...draft('a'), dialect: null });
    sender.want(draft('a'));
    expect(sender.isUnsent()).toBe(false);
    server.draft = draft('a');
    await sender.open();
    sender.want({ ...draft('a'), dialect: null });
    expect(sender.isUnsent()).toBe(false);
  });

  test('a sender that starts anew knows only the text that the server has', async () => {
    const sender = newSender();
    expect(sender.hasReceived('a')).toBe(false);
    sender.want(draft('a'));
    expect(sender.hasReceived('a')).toBe(false);
    await pause();
    expect(sender.hasReceived('a')).toBe(true);
    expect(sender.hasReceived('ab')).toBe(false);
    sender.want(undefined);
    await settle();
    expect(newSender().hasReceived('a')).toBe(false);
  });

  test('fails to open if the server cannot be reached, and opens once it can be', async () => {
    const sender = newSender();
    server.save('theirs');
    server.failures.push(failure(503));
    await expect(sender.open()).rejects.toThrow('Error 503');
    expect((await sender.open())?.text).toBe('theirs');
    server.discard();
    expect(await sender.open()).toBeUndefined();
  });

  test('stores nothing in the tab after the session has ended', async () => {
    const sender = newSender();
    const respond = server.hold();
    sender.want(draft('a'));
    sender.flush();
    await settle();
    server.end();
    respond();
    await settle();
    expect(server.draft?.text).toBe('a');
    expect(sessionStorage.length).toBe(0);
  });

  test('is shared by all who edit the preset in a session, and follows its name', async () => {
    const ofAda = draftSenderOf(server.api, 'w', 'ada/1', 'bot');
    const { signal } = new AbortController();
    await ofAda.open(signal);
    expect(server.target).toEqual({ slug: 'bot', workspace_id: 'w', signal });
    expect(draftSenderOf(server.api, 'w', 'ada/1', 'renamed')).toBe(ofAda);
    ofAda.want(draft('a'));
    await pause();
    expect(server.target).toMatchObject({ slug: 'renamed', workspace_id: 'w' });
    expect(draftSenderOf(server.api, 'w', 'ada/2', 'bot')).not.toBe(ofAda);
    expect(draftSenderOf(fakeServer().api, 'w', 'ada/1', 'bot')).not.toBe(ofAda);
  });
});
