import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { modelOperations, presetsMax } from '../../api/models.ts';
import { PresetdError } from '../../core/errors.ts';
import type { PresetVersion } from '../../core/presets/preset.ts';
import { parseModelId, truncateForMessage } from '../../core/presets/preset-reference.ts';
import type { PresetReader } from '../../core/presets/read-presets.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { describeEndpoints } from '../../gateway/models/model-endpoints.ts';
import { anthropicPresetId, type ModelEntry, presetToModelEntry } from '../../gateway/models/model-entry.ts';
import type { ModelList } from '../../gateway/models/model-list.ts';
import { callerOf } from '../authentication.ts';
import { serveOperations } from '../serve-operations.ts';

/** A model or preset, and the model that calls to it use; undefined if the upstream chooses. */
interface FoundModel {
  readonly entry: ModelEntry;
  readonly calledModel: string | undefined;
}

/** Any request of these operations. */
type ModelRequest = FastifyRequest<{ Querystring: { workspace_id?: string } }>;

/**
 * Presets come from the database and are current; upstream models come from a cache, and an
 * upstream that fails is skipped.
 */
export function modelRoutes(
  scope: FastifyInstance,
  reader: PresetReader,
  models: ModelList,
  gateway: Pick<Gateway, 'settings'>,
): void {
  async function list(request: ModelRequest): Promise<readonly ModelEntry[]> {
    const presets = await reader.callable(workspaceOf(request), presetsMax);
    const isAnthropic = request.headers['anthropic-version'] !== undefined;
    const entries = presets.map((preset) =>
      presetToModelEntry(preset, isAnthropic ? anthropicPresetId(preset) : undefined),
    );
    // A key that is limited to some presets cannot call models directly.
    return callerOf(request).presets === null ? [...entries, ...(await models.all())] : entries;
  }

  async function sendList(request: ModelRequest, reply: FastifyReply, offset = 0) {
    return sendJson(reply, modelsResponse(await list(request), offset));
  }

  async function find(request: ModelRequest, id: string): Promise<FoundModel> {
    const { reference, model } = parseModelId(id);
    if (reference === undefined) return { entry: await findModel(id), calledModel: id };
    if (model !== undefined) await findModel(model);
    const { preset, version } = await reader.resolve(workspaceOf(request), reference);
    return { entry: presetToModelEntry(preset, id), calledModel: model ?? modelOf(version) };
  }

  async function findModel(id: string): Promise<ModelEntry> {
    const [served] = await models.find(id);
    if (served === undefined) throw unknownModel(id);
    return served.model;
  }

  async function sendModel(request: ModelRequest, reply: FastifyReply, id: string) {
    return sendJson(reply, (await find(request, id)).entry.json);
  }

  serveOperations(scope, modelOperations, {
    'GET /models': (request, reply) => sendList(request, reply, request.query.offset),
    'GET /models/user': (request, reply) => sendList(request, reply, request.query.offset),
    'GET /models/count': async (request) => ({ data: { count: (await list(request)).length } }),
    'GET /models/:id': (request, reply) => sendModel(request, reply, request.params.id),
    'GET /models/:author/:slug/endpoints': async (request, reply) => {
      const { entry, calledModel } = await find(request, joinId(request.params));
      const served = calledModel === undefined ? [] : await models.find(calledModel);
      return sendJson(reply, JSON.stringify({ data: describeEndpoints(entry, served) }));
    },
    'GET /model/:author/:slug': async (request, reply) => {
      const { entry } = await find(request, joinId(request.params));
      return sendJson(reply, `{"data":${entry.json}}`);
    },
    'GET /providers': () => ({
      data: gateway.settings.upstreams.map(({ name }) => describeProvider(name)),
    }),
  });

  // For clients that do not encode the slashes of an id.
  const { query } = modelOperations['GET /models/:id'];
  scope.get<{ Params: { '*': string }; Querystring: { workspace_id?: string } }>(
    '/models/*',
    { schema: { querystring: query } },
    (request, reply) => sendModel(request, reply, request.params['*']),
  );
}

function workspaceOf(request: ModelRequest) {
  return { caller: callerOf(request), workspaceId: request.query.workspace_id };
}

/** Sends what is JSON text already. */
function sendJson(reply: FastifyReply, text: string): string {
  reply.type('application/json');
  return text;
}

/** Models are stored as JSON text, which is joined without parsing: there may be thousands. */
function modelsResponse(models: readonly ModelEntry[], offset: number): string {
  const page = models.slice(offset);
  const rest = JSON.stringify({
    has_more: false,
    first_id: page.at(0)?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    total_count: models.length,
    links: { next: null },
  });
  return `{"object":"list","data":[${page.map(({ json }) => json).join(',')}],${rest.slice(1)}`;
}

function unknownModel(id: string): PresetdError {
  return new PresetdError(
    'not_found',
    `No upstream lists the model ${JSON.stringify(truncateForMessage(id))}. GET /api/v1/models lists all models and presets, except models of upstreams that cannot be reached.`,
  );
}

function modelOf({ configJson }: PresetVersion): string | undefined {
  const { model, models }: Readonly<Record<string, unknown>> = JSON.parse(configJson);
  const first = model ?? (Array.isArray(models) ? models[0] : undefined);
  return typeof first === 'string' ? first : undefined;
}

function joinId({ author, slug }: { readonly author: string; readonly slug: string }): string {
  return `${author}/${slug}`;
}

/** The name only: where an upstream is and how it is called are the operator's business. */
function describeProvider(name: string) {
  return {
    name,
    slug: name,
    privacy_policy_url: null,
    terms_of_service_url: null,
    status_page_url: null,
    headquarters: null,
    datacenters: null,
  };
}
