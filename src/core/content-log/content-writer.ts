import { createBatchWriter } from '../batch-writer.ts';
import { runCooperatively } from '../cooperative-scheduler.ts';
import type { RawContent } from './call-content.ts';
import type { ContentLogSettings } from './content-log-settings.ts';
import type { ContentStore, StoredContent } from './content-storage.ts';
import { prepareContent } from './prepare-content.ts';

/** A batch is written when it is this large, or nothing else is waiting. */
const batchBytes = 1_048_576;
const batchContents = 100;

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
  let waitingBytes = 0;
  const writer = createBatchWriter<UnwrittenContent, StoredContent>({
    async prepare({ workspaceId, callId, raw, settings }) {
      try {
        const content = await runCooperatively(prepareContent(raw, settings));
        return { workspaceId, callId, contentJson: JSON.stringify(content) };
      } finally {
        waitingBytes -= bytesOf(raw);
      }
    },
    isFull,
    write: ({ rows }) => store.write(rows),
    stopMs,
    onDropped,
    onFailure,
  });
  return {
    record(content) {
      const bytes = bytesOf(content.raw);
      if (waitingBytes + bytes > waitingBytesMax) {
        onDropped(1);
        return;
      }
      waitingBytes += bytes;
      writer.add(content);
    },
    stop: writer.stop,
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
