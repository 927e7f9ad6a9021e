import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { serveDemo } from './serve-demo.ts';

const { startServer, fillDemo } = vi.hoisted(() => ({ startServer: vi.fn(), fillDemo: vi.fn() }));
vi.mock('../../main.ts', () => ({ startServer }));
vi.mock('./fill-demo.ts', () => ({ fillDemo }));

describe('presetd demo', () => {
  let folder: string;
  /** The temporary folders of the demo that exist now. */
  const traces = () => readdirSync(folder);
  const stop = vi.fn();
  const started = { stop, url: 'http://127.0.0.1:1', firstKeys: { managementKey: 'k', linkToken: 't' } };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'presetd-test-'));
    vi.stubEnv('TMPDIR', folder);
    startServer.mockResolvedValue(started);
    fillDemo.mockResolvedValue(0);
    stop.mockImplementation(async () => expect(traces()).toHaveLength(1));
    vi.spyOn(process, 'kill').mockReturnValue(true);
    vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(console, 'error').mockReturnValue();
  });
  afterEach(() => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    for (const mock of [startServer, fillDemo, stop]) mock.mockReset();
    rmSync(folder, { recursive: true });
  });

  it('a demo that cannot be filled stops its server before it deletes the database', async () => {
    fillDemo.mockRejectedValue(new Error('no'));
    await expect(serveDemo()).rejects.toThrow('no');
    expect(stop).toHaveBeenCalledOnce();
    expect(traces()).toEqual([]);
  });

  it('a demo that is interrupted while its server starts leaves nothing behind', async () => {
    startServer.mockImplementation(async () => {
      expect(traces()).toHaveLength(1);
      process.emit('SIGINT', 'SIGINT');
      expect(traces()).toEqual([]);
      expect(process.kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT');
      throw new Error('ended');
    });
    await expect(serveDemo()).rejects.toThrow('ended');
  });

  it('a demo that is interrupted while it is filled leaves nothing behind', async () => {
    fillDemo.mockImplementation(async () => {
      process.emit('SIGINT', 'SIGINT');
      await expect.poll(() => process.exit).toHaveBeenCalledExactlyOnceWith(0);
      expect(traces()).toEqual([]);
      throw new Error('ended');
    });
    await expect(serveDemo()).rejects.toThrow('ended');
    expect(stop).toHaveBeenCalledOnce();
    expect(process.kill).not.toHaveBeenCalled();
  });

  it.each([
    ['stops', async () => {}, 0],
    ['cannot stop', () => Promise.reject(new Error('no')), 1],
  ])('a demo whose server %s leaves nothing behind when a signal ends it', async (_, stopServer, code) => {
    stop.mockImplementation(stopServer);
    await serveDemo();
    expect(traces()).toHaveLength(1);
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGTERM', 'SIGTERM');
    await expect.poll(() => process.exit).toHaveBeenCalledWith(code);
    expect(stop).toHaveBeenCalledOnce();
    expect(traces()).toEqual([]);
  });
});
