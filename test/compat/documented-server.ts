import type { Engine } from '../support/engines.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { checksOf, type DocumentChecks, type OpenapiDocument } from './openapi-document.ts';
import { addUnusualKeys, type UnusualKeys } from './unusual-keys.ts';

/** Small, so that tests for too large bodies are fast. */
export const bodyBytesMax = 65_536;

/** A server with everything needed to trigger each documented response. */
export interface DocumentedServer {
  readonly server: TestServer;
  /** Rate-limited: rejects the second call of a key. */
  readonly limited: TestServer;
  readonly keys: UnusualKeys;
  readonly document: OpenapiDocument;
  readonly checks: DocumentChecks;
  stop(): Promise<void>;
}

export async function startDocumentedServer(engine: Engine): Promise<DocumentedServer> {
  const [server, limited] = await Promise.all([
    startTestServer(engine, { PRESETD_BODY_LIMIT: String(bodyBytesMax) }),
    startTestServer(engine, { PRESETD_RATE_LIMIT: '1' }),
  ]);
  const keys = await addUnusualKeys(server.database);
  const document = (await server.get('/openapi.json', { key: null })).body;
  const stop = async () => {
    await Promise.all([server.stop(), limited.stop()]);
  };
  return { server, limited, keys, document, checks: checksOf(document), stop };
}
