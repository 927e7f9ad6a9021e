import { runCooperatively } from '../cooperative-scheduler.ts';
import { PresetdError } from '../errors.ts';
import type { RawContent } from './call-content.ts';
import type { ContentLogSettings } from './content-log-settings.ts';
import type { ContentStore, StoredContent } from './content-storage.ts';
import { prepareContent } from './prepare-content.ts';

/** How long a content waits for others to be written with. */
const flushDelayMs = 500;

/** A batch is written when it is this large, or nothing else is waiting. */
const batchBytes = 1_048_576;
const batchContents = 100;

/** How long to wait after a failed write. */
const retryDelayMs = 1_000;

/** Redacting a backlog may take minutes, and a process that stops has seconds. */
const stopMs = 5_000;

/**
 * Writes the content of calls, off the path of requests and of their records: redaction takes longer
 * than writing, and nobody is billed by content.
 *
 * `startServer` creates one per process. Contents wait in memory, up to a limit in bytes; beyond it,
 * new ones are dropped and counted. One at a time is redacted, in small steps, and written with others
 * in a batch. While the database is unavailable, all of them wait. `stop` writes what it can in a few
 * seconds.
 */
export interface ContentWriter {
  /** Only updates memory. */
  record(content: UnwrittenContent): void;
  /** Writes all contents that wait; gives up at the first failure. No more are written later. */
  stop(): Promise<void>;
}

export interface UnwrittenContent {
  readonly workspaceId: string;
  readonly callId: string;
  readonly raw: RawContent;
  readonly settings: ContentLogSettings;
}

interface ContentWriterOptions {
  readonly store: Pick<ContentStore, 'write'>;
  /** How many bytes may wait. */
  readonly waitingBytesMax: number;
  /** Called with the number of contents that are lost. */
  readonly onDropped: (count: number) => void;
  readonly onFailure: (error: unknown) => void;
}

export function createContentWriter(options: ContentWriterOptions): ContentWriter {
  const { store, waitingBytesMax, onDropped, onFailure } = options;
  let waiting: UnwrittenContent[] = [];
  let waitingBytes = 0;
  /** What is ready, or could not be written yet. */
  let batch: StoredContent[] = [];
  let running: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopsAt: number | undefined;

  /** Returns whether everything is written. */
  async function writeAll(): Promise<boolean> {
    while (waiting.length > 0 || batch.length > 0) {
      if (stopsAt !== undefined && performance.now() > stopsAt) return false;
      while (waiting.length > 0 && !isFull(batch)) {
        const [next] = waiting.splice(0, 1);
        if (next !== undefined) await prepare(next);
        if (stopsAt !== undefined && performance.now() > stopsAt) break;
      }
      try {
        if (batch.length > 0) await store.write(batch);
      } catch (error) {
        onFailure(error);
        if (error instanceof PresetdError && error.kind === 'unavailable') return false;
        // It would fail again, and nothing after it would be written.
        onDropped(batch.length);
      }
      batch = [];
    }
    return true;
  }

  async function prepare({ workspaceId, callId, raw, settings }: UnwrittenContent): Promise<void> {
    try {
      const content = await runCooperatively(prepareContent(raw, settings));
      batch.push({ workspaceId, callId, contentJson: JSON.stringify(content) });
    } catch (error) {
      onFailure(error);
      onDropped(1);
    }
    waitingBytes -= bytesOf(raw);
  }

  function schedule(delayMs: number): void {
    if (stopsAt !== undefined) return;
    timer ??= setTimeout(async () => {
      running = writeAll();
      const isWritten = await running;
      timer = undefined;
      if (!isWritten) schedule(retryDelayMs);
      else if (waiting.length > 0) schedule(flushDelayMs);
    }, delayMs);
  }

  return {
    record(content) {
      const bytes = bytesOf(content.raw);
      if (waitingBytes + bytes > waitingBytesMax || stopsAt !== undefined) {
        onDropped(1);
        return;
      }
      waiting.push(content);
      waitingBytes += bytes;
      schedule(flushDelayMs);
    },
    async stop() {
      stopsAt = performance.now() + stopMs;
      clearTimeout(timer);
      await running;
      if (await writeAll()) return;
      if (waiting.length + batch.length > 0) onDropped(waiting.length + batch.length);
      waiting = [];
      batch = [];
    },
  };
}

function isFull(batch: readonly StoredContent[]): boolean {
  const bytes = batch.reduce((sum, { contentJson }) => sum + contentJson.length, 0);
  return bytes >= batchBytes || batch.length >= batchContents;
}

/** What a content takes in memory until it is redacted. Everything besides its bodies is small. */
function bytesOf({ request, sent, response }: RawContent): number {
  const sizes = [request, sent, response].map((body) => {
    if (body === null) return overheadBytes;
    if (Buffer.isBuffer(body) || typeof body === 'string') return body.length + overheadBytes;
    return body.bytes + overheadBytes;
  });
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

const overheadBytes = 200;
