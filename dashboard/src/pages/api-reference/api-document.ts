/** The part of the server's OpenAPI document that the API reference reads. */

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Content;
}

/** A JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Says what the pattern means. */
  readonly 'x-must'?: string;
}

export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** The JSON body, or the first other kind that the operation accepts. */
  readonly body: { readonly type: string; readonly isRequired: boolean; readonly schema: Schema } | undefined;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** Operations by tag, in the order of the document. Groups without operations are left out. */
export function groupOperations({ tags, paths }: ApiDocument): readonly OperationGroup[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => toOperation(path, method, documented)),
  );
  return tags
    .map(({ name, description = '' }) => ({
      tag: name,
      description,
      operations: all.filter(({ tag }) => tag === name),
    }))
    .filter(({ operations }) => operations.length > 0);
}

function toOperation(path: string, method: string, documented: DocumentedOperation): Operation {
  const { operationId, summary = path, description = '', tags: [tag = ''] = [] } = documented;
  const { parameters = [], requestBody, responses } = documented;
  const types = Object.keys(requestBody?.content ?? {});
  const type = types.find((each) => each === 'application/json') ?? types[0];
  return {
    ...{ id: operationId, tag, method, path, summary, description, responses },
    // In the order in which people fill them in.
    parameters: (['path', 'query', 'header'] as const).flatMap((place) =>
      parameters.filter((each) => each.in === place),
    ),
    body:
      requestBody === undefined || type === undefined
        ? undefined
        : {
            type,
            isRequired: requestBody.required ?? false,
            schema: requestBody.content[type]?.schema ?? {},
          },
  };
}

/** Every word has to occur in the method, path, id or summary of the operation. */
export function matchesSearch(
  { method, path, id, summary }: Pick<Operation, 'method' | 'path' | 'id' | 'summary'>,
  search: string,
): boolean {
  const text = `${method} ${path} ${id} ${summary}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The address of an operation within the page, as in 0.6.0. */
export function operationHash({ tag, id }: Pick<Operation, 'tag' | 'id'>): string {
  return `#/${encodeURIComponent(tag)}/${id}`;
}

/** Undefined if the address names none. */
export function findOperation(groups: readonly OperationGroup[], hash: string): Operation | undefined {
  return groups.flatMap(({ operations }) => operations).find((each) => operationHash(each) === hash);
}
