import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../src/config/server-config.ts';
import { newId } from '../src/core/identifiers.ts';
import { presetEtag } from '../src/core/presets/precondition.ts';
import { cachedPresetResponse, presetResponse } from '../src/http/routes/preset-response.ts';
import { openStorage } from '../src/storage/open.ts';
import { readSlugs } from './database.ts';

/**
 * The baseline for presetd: a bare `node:http` server that does the same raw work.
 *
 * It parses the body, runs the same prepared SQL through the same storage, with the same durability
 * and batching, and returns the same bytes. The comparison therefore measures everything else:
 * framework, routing, validation, authentication, strict JSON parsing, logging and request ids. It
 * serves presets from memory.
 */
const storage = await openStorage(loadConfig(process.env).storage);
const first = await storage.organizations.first();
if (first === undefined) throw new Error('the bare server needs a bootstrapped database');
const { organization, admin } = first;

const cachedResponses = await readPresetResponses();

const server = createServer((request, response) => {
  const cached = cachedResponses.get(request.url ?? '');
  if (cached !== undefined) {
    response.writeHead(200, cached.headers).end(cached.text);
    return;
  }
  const work = request.method === 'POST' ? create(request, response) : listMembers(request, response);
  work.catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`bare listens on http://127.0.0.1:${port}`);
});
process.once('SIGTERM', () => process.exit());

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, ...config } = JSON.parse(await readBody(request));
  const preset = await storage.presets.createVersion({
    organizationId: organization.id,
    workspaceId: organization.defaultWorkspaceId,
    // From /api/v1/presets/:slug/chat/completions.
    slug: request.url?.split('/', 5)[4] ?? '',
    presetId: newId(),
    versionId: newId(),
    author: { userId: admin.id, keyLabel: 'bare' },
    dialect: 'chat-completions',
    configJson: JSON.stringify(config),
    extensionJson: null,
    systemPrompt: messages[0].content,
    createdAt: new Date().toISOString(),
  });
  respond(response, presetResponse(preset));
}

async function listMembers(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const limit = Number(request.url?.split('limit=', 2)[1]);
  const page = await storage.members.list(organization.id, { offset: 0, limit });
  const data = page?.members.map(({ id, email, firstName, lastName, role }) => ({
    id,
    email,
    first_name: firstName,
    last_name: lastName,
    role,
  }));
  respond(response, JSON.stringify({ data, total_count: page?.totalCount }));
}

interface CachedResponse {
  readonly text: string;
  readonly headers: OutgoingHttpHeaders;
}

/** The response to each GET of a preset, by path, with the headers that presetd sends. */
async function readPresetResponses(): Promise<ReadonlyMap<string, CachedResponse>> {
  const workspaceId = organization.defaultWorkspaceId;
  const presets = await Promise.all(
    readSlugs.map((slug) => storage.presets.find({ organizationId: organization.id, workspaceId, slug })),
  );
  return new Map(
    presets
      .filter((preset) => preset !== undefined)
      .map((preset) => {
        const { text, bytes } = cachedPresetResponse(preset);
        const headers = {
          'content-type': 'application/json; charset=utf-8',
          'content-length': bytes,
          etag: `"${presetEtag(preset)}"`,
          'cache-control': 'private, no-cache',
          'x-request-id': '6f0c1a52-0d5c-4d4a-9a39-1f2b7c1f6f11',
        };
        return [`/api/v1/presets/${preset.slug}`, { text, headers }];
      }),
  );
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

function respond(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
