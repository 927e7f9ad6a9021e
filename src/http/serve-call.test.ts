import { EventEmitter } from 'node:events';
import type { FastifyBaseLogger } from 'fastify';
import { expect, it, vi } from 'vitest';
import { adminCaller } from '../../test/support/callers.ts';
import { defaultContentLog } from '../core/content-log/content-log-settings.ts';
import { ContentMemory } from '../core/content-log/content-memory.ts';
import { databaseUnavailable, PresetdError } from '../core/errors.ts';
import type { Measurements } from '../core/measurements.ts';
import type { Caller } from '../core/organization/caller.ts';
import { type Call, createTrace } from '../gateway/call.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { createCallServer, type ReceivedCall } from './serve-call.ts';

const caller: Caller = { ...adminCaller, kind: 'api', workspaceId: 'workspace', scope: 'call' };

const storage = { workspaces: { find: vi.fn() } };

/** The call that the gateway gets, whose caller is later looked up like this. */
async function received(reauthenticate: () => Promise<Caller>) {
  const { promise, resolve } = Promise.withResolvers<Call>();
  const gateway = { handle: async (call: Call) => resolve(call) } as Gateway;
  const error = vi.fn();
  const log = { error } as unknown as FastifyBaseLogger;
  createCallServer(
    { gateway, storage, recordCall: vi.fn(), recordContent: vi.fn(), contentMemory: undefined },
    { reauthenticate },
    {} as Measurements,
    log,
  ).serve({
    dialect: 'responses',
    caller,
    requestId: 'id',
    headers: {},
    query: '',
    bytes: Buffer.from('{}'),
    response: new EventEmitter(),
    trace: createTrace(),
  } as unknown as ReceivedCall);
  return { call: await promise, error };
}

it.each<[title: string, current: Caller]>([
  ['as before', caller],
  ['in another workspace', { ...caller, workspaceId: 'other' }],
])('a caller who is found again %s keeps access', async (_title, current) => {
  const { call } = await received(async () => current);
  expect(await call.findLostAccess()).toBeUndefined();
});

it.each<[kind: PresetdError['kind']]>([['unauthenticated'], ['forbidden'], ['not_found']])(
  'a caller whose lookup is %s has lost access',
  async (kind) => {
    const lost = new PresetdError(kind, 'No.');
    const { call } = await received(() => Promise.reject(lost));
    expect(await call.findLostAccess()).toBe(lost);
  },
);

it('a caller who has no role in the workspace any more has lost access', async () => {
  const { call } = await received(async () => ({ ...caller, ownerRole: 'org:member' }));
  expect(await call.findLostAccess()).toMatchObject({ kind: 'forbidden' });
});

it('a caller who cannot be looked up keeps access, and only an unexpected error is logged', async () => {
  const outage = await received(() => Promise.reject(databaseUnavailable(new Error('down'))));
  expect(await outage.call.findLostAccess()).toBeUndefined();
  expect(outage.error).not.toHaveBeenCalled();
  const defect = await received(() => Promise.reject(new TypeError('oops')));
  expect(await defect.call.findLostAccess()).toBeUndefined();
  expect(defect.error).toHaveBeenCalledWith(
    { reqId: 'id', err: expect.any(TypeError) },
    expect.stringContaining('could not check the caller'),
  );
});

/** The counts and logs after a call, and the memory that its content still holds. */
async function ended(options: { readonly recordCall?: () => void; readonly recordContent?: () => void }) {
  const [error, droppedCallRecords, droppedContents] = [vi.fn(), vi.fn(), vi.fn()];
  const response = Object.assign(new EventEmitter(), { socket: null });
  const contentMemory = new ContentMemory(1_000, vi.fn());
  const trace = createTrace();
  createCallServer(
    {
      gateway: {
        handle: async () => {
          trace.content?.setBody('a response');
        },
      } as unknown as Gateway,
      storage,
      recordCall: vi.fn(),
      recordContent: vi.fn(),
      contentMemory,
      ...options,
    },
    { reauthenticate: vi.fn() },
    { droppedCallRecords, droppedContents, gatewayRequest: vi.fn() } as unknown as Measurements,
    { error } as unknown as FastifyBaseLogger,
  ).serve({
    dialect: 'responses',
    caller: { ...caller, contentLog: defaultContentLog },
    requestId: 'id',
    headers: {},
    query: '',
    bytes: Buffer.from('{}'),
    response,
    trace,
  } as unknown as ReceivedCall);
  await expect.poll(() => contentMemory.bytes).toBeGreaterThan(0);
  response.emit('close');
  await expect.poll(() => error.mock.calls.length).toBe(1);
  return { logged: error.mock.calls[0], droppedCallRecords, droppedContents, contentMemory };
}

function fail(): never {
  throw new TypeError('oops');
}

it('a call that cannot be recorded is counted and logged, and its content is logged all the same', async () => {
  const recordContent = vi.fn();
  const { logged, droppedCallRecords, droppedContents } = await ended({ recordCall: fail, recordContent });
  expect(logged).toEqual([{ reqId: 'id', err: expect.any(TypeError) }, 'could not record a call']);
  expect(droppedCallRecords).toHaveBeenCalledExactlyOnceWith(1);
  expect(droppedContents).not.toHaveBeenCalled();
  expect(recordContent).toHaveBeenCalledOnce();
});

it('content that cannot be logged is counted, frees its memory, and is no lost record', async () => {
  const recordCall = vi.fn();
  const { logged, droppedCallRecords, droppedContents, contentMemory } = await ended({
    recordCall,
    recordContent: fail,
  });
  expect(logged).toEqual([
    { reqId: 'id', err: expect.any(TypeError) },
    'could not log the content of a call',
  ]);
  expect(recordCall).toHaveBeenCalledOnce();
  expect(droppedCallRecords).not.toHaveBeenCalled();
  expect(droppedContents).toHaveBeenCalledExactlyOnceWith(1);
  expect(contentMemory.bytes).toBe(0);
});

it('a call that fails after its response has begun is cut off, so that it does not look complete', () => {
  const error = vi.fn();
  const log = { error } as unknown as FastifyBaseLogger;
  const options = {
    gateway: {} as Gateway,
    storage,
    recordCall: vi.fn(),
    recordContent: vi.fn(),
    contentMemory: undefined,
  };
  const server = createCallServer(options, { reauthenticate: vi.fn() }, {} as Measurements, log);
  const response = { headersSent: true, destroyed: false, destroy: vi.fn() };
  server.sendError({ response, requestId: 'id', caller } as unknown as ReceivedCall, new Error('late'));
  expect(response.destroy).toHaveBeenCalled();
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ reqId: 'id' }), expect.any(String));
});
