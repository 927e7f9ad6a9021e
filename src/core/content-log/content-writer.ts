import { createBatchWriter } from '../batch-writer.ts';
import { runCooperatively } from '../concurrency/cooperative-scheduler.ts';
import type { Body, RawContent } from './call-content.ts';
import type { ContentLogSettings } from './content-log-settings.ts';
import type { ContentShare } from './content-memory.ts';
import type { ContentStore, StoredContent } from './content-storage.ts';
import { prepareContent } from './prepare-content.ts';

/** A batch is written when it is this large, or nothing else is waiting. */
const batchBytes = 1_048_576;
const batchContents = 100;

/** Redacting a backlog may take minutes, and a process that stops has seconds. */
const stopMs = 5_000;

/**
 * Writes the content of calls, off the path of requests and of their records: redaction takes
 * longer than writing, and nobody is billed by content.
 *
 * `startServer` creates one per process. Contents wait in the memory that `ContentMemory` allows.
 * One at a time is redacted, in small steps, and written with others in a batch, as
 * `createBatchWriter` describes. `stop` writes what it can in a few seconds.
 */
interface ContentWriter {
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
  /** Of the memory of all contents. The writer releases it. */
  readonly share: ContentShare;
}

interface ContentWriterOptions {
  readonly store: Pick<ContentStore, 'write'>;
  /** Called with the number of contents that cannot be written. */
  readonly onDropped: (count: number) => void;
  readonly onFailure: (error: unknown) => void;
}

export function createContentWriter(options: ContentWriterOptions): ContentWriter {
  const { store, onDropped, onFailure } = options;
  const writer = createBatchWriter<UnwrittenContent, PreparedContent>({
    prepare,
    isFull,
    write: ({ rows }) => store.write(rows.map(({ content }) => content)),
    release: (rows) => {
      for (const { share } of rows) share.release();
    },
    stopMs,
    onDropped,
    onFailure,
  });
  return {
    record(content) {
      if (content.share.resize(bytesOf(content.raw))) writer.add(content);
    },
    stop: writer.stop,
  };
}

interface PreparedContent {
  readonly content: StoredContent;
  readonly share: ContentShare;
}

async function prepare(unwritten: UnwrittenContent): Promise<PreparedContent> {
  const { workspaceId, callId, raw, settings, share } = unwritten;
  try {
    const contentJson = JSON.stringify(await runCooperatively(prepareContent(raw, settings)));
    // Only the JSON is kept until it is written. A share that does not grow is never refused.
    share.resize(Math.min(contentJson.length, bytesOf(unwritten.raw)));
    return { content: { workspaceId, callId, contentJson }, share };
  } catch (error) {
    share.release();
    throw error;
  }
}

function isFull(rows: readonly PreparedContent[]): boolean {
  const bytes = rows.reduce((sum, { content }) => sum + content.contentJson.length, 0);
  return bytes >= batchBytes || rows.length >= batchContents;
}

/** The memory that a content takes until it is redacted. */
function bytesOf({ request, sent, response, failures }: RawContent): number {
  const bodies = [request, sent, response, ...failures.map(({ body }) => body)];
  return bodies.reduce<number>((sum, body) => sum + bytesOfBody(body) + overheadBytes, 0);
}

function bytesOfBody(body: Body): number {
  if (body === null) return 0;
  return Buffer.isBuffer(body) || typeof body === 'string' ? body.length : body.bytes;
}

const overheadBytes = 200;
