/** Where requests in the dialect of responses name what upstreams have stored. */

import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import { isEmpty, isItemReference } from '../../dialects/responses/item-reference.ts';
import { idPrefix, type StoredKind, type StoredObject } from './response-ids.ts';

/** A place in a request that means nothing without what is stored under its id. */
export interface StoredReference {
  readonly role: 'previous' | 'comparison' | 'item';
  /** A JSON Pointer. */
  readonly path: string;
  /** As the client sent it, which may be anything. */
  readonly id: unknown;
}

export function findReferences(body: JsonObject): readonly StoredReference[] {
  const responses = responseFields.map(({ role, path, read }) => ({ role, path, id: read(body) }));
  const items = inputOf(body).flatMap((item, index) =>
    isItemReference(item) ? [{ role: 'item', path: `/input/${index}`, id: item.id } as const] : [],
  );
  // Some clients send an empty string for a new conversation.
  return [...responses.filter(({ id }) => !isEmpty(id)), ...items];
}

/** An id in a request that presetd may have signed. */
export interface NamedId {
  readonly kind: StoredKind;
  readonly id: string;
}

/** Besides those of references, the ids of complete items that a client sends back. */
export function findNamedIds(body: JsonObject): readonly NamedId[] {
  const responses = responseFields.map(({ read }) => ({ kind: 'response', id: read(body) }) as const);
  const items = inputOf(body)
    .filter(isJsonObject)
    .flatMap((item) => itemFields.map((name) => ({ kind: 'item', id: item[name] }) as const));
  return [...responses, ...items].flatMap(({ kind, id }) => (typeof id === 'string' ? [{ kind, id }] : []));
}

/** The stored objects that a request names, and the upstream that gets it. */
interface ScopeOptions {
  readonly upstream: { readonly name: string };
  /** Whether the upstream stores responses at all. */
  readonly isStoring: boolean;
  /** The objects behind the ids in the request that the caller may use. */
  readonly stored: ReadonlyMap<string, StoredObject>;
  readonly workspaceId: string;
}

/** A request as one upstream gets it. */
interface ScopedBody {
  /** The same object if nothing changed. */
  readonly body: JsonObject;
  readonly droppedFields: readonly string[];
  /** The client's ids by those that the upstream gets instead. */
  readonly responses: Readonly<Record<string, string>>;
  readonly items: Readonly<Record<string, string>>;
}

/**
 * Replaces signed ids with the upstream's own, and makes sure that no other id names something that
 * the upstream has stored: a complete item gets an id that stands for nothing. Reasoning without
 * content would be useless then, and is dropped.
 */
export function scopeIds(body: JsonObject, options: ScopeOptions): ScopedBody {
  const responses: Record<string, string> = {};
  const items: Record<string, string> = {};
  let scoped = body;
  for (const { read, write } of responseFields) {
    const id = read(body);
    const own = ownId(id, options);
    if (typeof id !== 'string' || own === undefined) continue;
    scoped = write(scoped, own);
    responses[own] = id;
  }
  const input = inputOf(body);
  const kept = input.filter((item) => !isLost(item, options));
  const renamed = kept.map((item) => (isJsonObject(item) ? renameItem(item, options, items) : item));
  const isSame = renamed.length === input.length && renamed.every((item, index) => item === input[index]);
  return {
    body: isSame ? scoped : { ...scoped, input: renamed },
    droppedFields: kept.length === input.length ? [] : ['input.*.reasoning'],
    responses,
    items,
  };
}

function renameItem(item: JsonObject, options: ScopeOptions, renamed: Record<string, string>): JsonObject {
  let result = item;
  for (const name of itemFields) {
    const { [name]: id } = item;
    if (typeof id !== 'string') continue;
    const sent = idFor(item, id, options);
    if (sent === id) continue;
    renamed[sent] = id;
    result = { ...result, [name]: sent };
  }
  return result;
}

/** The id that the upstream gets for one that the client sent. */
function idFor(item: JsonObject, id: string, options: ScopeOptions): string {
  const own = ownId(id, options);
  if (own !== undefined) return own;
  // Providers check that encrypted content belongs to its id.
  if (!options.isStoring || isEncrypted(item)) return options.stored.get(id)?.id ?? id;
  // By workspace, because the upstream may store the input with the id.
  const [prefix = ''] = idPrefix.exec(id) ?? [];
  return prefix + hash('sha256', `${options.workspaceId} ${id}`).slice(0, 32);
}

/** The upstream's own id; undefined if it has nothing under the id, or nothing for this caller. */
function ownId(id: unknown, { stored, upstream }: ScopeOptions): string | undefined {
  const found = typeof id === 'string' ? stored.get(id) : undefined;
  return found?.upstream === upstream.name ? found.id : undefined;
}

/** OpenAI loads reasoning without content by its id. */
function isLost(item: unknown, options: ScopeOptions): boolean {
  if (!options.isStoring || !isJsonObject(item) || item.type !== 'reasoning') return false;
  if (typeof item.id !== 'string' || ownId(item.id, options) !== undefined) return false;
  return !isEncrypted(item) && isEmpty(item.content);
}

function isEncrypted({ type, encrypted_content: content }: JsonObject): boolean {
  return (type === 'reasoning' || type === 'compaction') && typeof content === 'string' && content !== '';
}

function inputOf({ input }: JsonObject): readonly unknown[] {
  return Array.isArray(input) ? input : [];
}

/** The fields of an item that name it, or another one. */
const itemFields = ['id', 'approval_request_id'] as const;

interface ResponseField {
  readonly role: StoredReference['role'];
  readonly path: string;
  readonly read: (body: JsonObject) => unknown;
  readonly write: (body: JsonObject, id: string) => JsonObject;
}

/** The fields of a request that name a response. */
const responseFields: readonly ResponseField[] = [
  {
    role: 'previous',
    path: '/previous_response_id',
    read: (body) => body.previous_response_id,
    write: (body, id) => ({ ...body, previous_response_id: id }),
  },
  {
    role: 'comparison',
    path: '/prompt_cache_options/comparison_response_id',
    read: (body) => asObject(body.prompt_cache_options).comparison_response_id,
    write: (body, id) => {
      const options = { ...asObject(body.prompt_cache_options), comparison_response_id: id };
      return { ...body, prompt_cache_options: options };
    },
  },
];
