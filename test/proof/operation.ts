import type { Dialect } from '../../src/core/presets/preset.ts';

/** A change to a preset. Writers send it as a request; the verifier predicts its events. */
export type Operation =
  | {
      readonly kind: 'create';
      readonly dialect: Dialect;
      readonly config: object;
      readonly prompt: string;
      readonly presetd?: PresetdObject;
    }
  | { readonly kind: 'edit'; readonly changes: Edit }
  | { readonly kind: 'move-label'; readonly label: string; readonly version: number }
  | { readonly kind: 'remove-label'; readonly label: string }
  | { readonly kind: 'add-alias'; readonly alias: string }
  | { readonly kind: 'remove-alias'; readonly alias: string }
  | { readonly kind: 'save-case'; readonly name: string; readonly content: CaseContent }
  | { readonly kind: 'remove-case'; readonly name: string }
  /** Not a change of the preset: it has no event, and its response the ETag of the draft. */
  | { readonly kind: 'save-draft'; readonly text: string }
  | { readonly kind: 'archive' }
  | { readonly kind: 'restore' };

export interface PresetdObject {
  readonly note?: string;
  readonly policy?: object;
  readonly designate?: false;
}

/** With all fields, in the order in which the server stores them. */
export interface CaseContent {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly messages: readonly object[];
  readonly note: string | null;
}

export interface Edit {
  readonly slug?: string;
  readonly name?: string;
  readonly description?: string | null;
  readonly status?: 'active' | 'disabled';
  readonly tags?: readonly string[];
  readonly designated_version?: number;
}

export interface OperationRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The other slug that a preset of the journal can have. The first one is then an alias. */
export function renamedSlug(slug: string): string {
  return `${slug}-renamed`;
}

/** The HTTP request for an operation. */
export function requestOf(slug: string, operation: Operation): OperationRequest {
  const path = `/api/v1/presets/${slug}`;
  switch (operation.kind) {
    case 'create':
      return { method: 'POST', ...captureRequest(path, operation) };
    case 'edit':
      return { method: 'PATCH', path, body: operation.changes };
    case 'move-label':
      return {
        method: 'PUT',
        path: `${path}/labels/${operation.label}`,
        body: { version: operation.version },
      };
    case 'remove-label':
      return { method: 'DELETE', path: `${path}/labels/${operation.label}` };
    case 'add-alias':
      return { method: 'PUT', path: `${path}/aliases/${operation.alias}` };
    case 'remove-alias':
      return { method: 'DELETE', path: `${path}/aliases/${operation.alias}` };
    case 'save-case':
      return {
        method: 'PUT',
        path: `${path}/cases/${encodeURIComponent(operation.name)}`,
        body: operation.content,
      };
    case 'remove-case':
      return { method: 'DELETE', path: `${path}/cases/${encodeURIComponent(operation.name)}` };
    case 'save-draft':
      return {
        method: 'PUT',
        path: `${path}/draft`,
        body: { text: operation.text, dialect: null, base_version: 1 },
      };
    case 'archive':
      return { method: 'DELETE', path };
    case 'restore':
      return { method: 'POST', path: `${path}/restore` };
  }
}

function captureRequest(path: string, operation: Extract<Operation, { kind: 'create' }>) {
  const { dialect, config, prompt, presetd } = operation;
  const request = captureOf[dialect](path, config, prompt);
  return presetd === undefined ? request : { ...request, body: { ...request.body, presetd } };
}

type Capture = (path: string, config: object, prompt: string) => { path: string; body: object };

const captureOf: Readonly<Record<Dialect, Capture>> = {
  'chat-completions': (path, config, prompt) => ({
    path: `${path}/chat/completions`,
    body: { messages: [{ role: 'system', content: prompt }, question], ...config },
  }),
  messages: (path, config, prompt) => ({
    path: `${path}/messages`,
    body: { system: prompt, messages: [question], ...config },
  }),
  responses: (path, config, prompt) => ({
    path: `${path}/responses`,
    body: { instructions: prompt, input: 'Not saved', ...config },
  }),
};

const question = { role: 'user', content: 'Not saved' };
