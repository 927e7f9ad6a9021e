import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionMemory } from './connection-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the WebSocket whose messages take the most memory is closed', () => {
  const server = new EventEmitter();
  const memory = new ConnectionMemory(1_000);
  const log = { warn: () => {} } as unknown as FastifyBaseLogger;
  memory.watch({ server, addHook: () => {} } as unknown as FastifyInstance, log);
  const destroyed = [1, 1e12, 2].map((bytes) => {
    const destroy = vi.fn();
    const socket = Object.assign(new EventEmitter(), { writableLength: 0, destroy }) as unknown as Socket;
    server.emit('connection', socket);
    memory.trackUpgraded(socket, () => bytes);
    return destroy;
  });
  vi.advanceTimersByTime(1_000);
  expect(destroyed.map((destroy) => destroy.mock.calls.length > 0)).toEqual([false, true, false]);
});
