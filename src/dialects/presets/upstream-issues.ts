/**
 * Finds values that presetd can save but upstreams are known to reject: names of tools and schemas,
 * types of tools, mistakes in JSON Schemas, and numbers out of range. OpenAI, Anthropic and Gemini
 * respond with a 400; a model of your own may accept it. The dry run of a capture lists these as
 * warnings, and the dashboard marks the fields and asks before it saves.
 */

import type { Issue } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { roundNumbers } from '../../core/json/json-text.ts';
import { asList, asObject } from '../../core/json/loose-json.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { findSchemaIssue, shown } from './schema-issue.ts';

interface UpstreamIssues {
  /** No upstream accepts these, so the dashboard does not save them. */
  readonly rejected: readonly Issue[];
  /** Most upstreams do not accept these. */
  readonly doubtful: readonly Issue[];
}

/** Bounds the length of a response. */
const issuesMax = 50;

/** Expects a valid request. The paths start at the request. */
export function findUpstreamIssues(request: object, dialect: Dialect): UpstreamIssues {
  const body = request as JsonObject;
  const parts = [...toolParts(body), ...formatParts(body)];
  const names = parts.flatMap(({ path, value }) =>
    typeof value.name === 'string' ? [{ path: `${path}/name`, name: value.name }] : [],
  );
  const isEmpty = ({ name }: { readonly name: string }) => name === '';
  const toIssues = ({ path, name }: { readonly path: string; readonly name: string }) => {
    const message = describeNameProblem(name, dialect);
    return message === undefined ? [] : [{ path, message }];
  };
  const schemas = parts.flatMap(({ path, value, schemaField }) =>
    value[schemaField] === undefined
      ? []
      : (findSchemaIssue(value[schemaField], `${path}/${schemaField}`) ?? []),
  );
  const doubtful = [
    ...names.filter((name) => !isEmpty(name)).flatMap(toIssues),
    ...findToolTypeIssues(body),
    ...schemas,
    ...findNumberIssues(body, dialect),
  ];
  return {
    rejected: names.filter(isEmpty).flatMap(toIssues).slice(0, issuesMax),
    doubtful: doubtful.slice(0, issuesMax),
  };
}

/** The problem with the name of a tool or schema, to follow its path; undefined if valid. */
export function describeNameProblem(name: string, dialect: Dialect): string | undefined {
  if (name === '') return 'must not be empty';
  const max = dialectOf[dialect].tools.nameLengthMax;
  if (name.length <= max && /^[\w-]*$/.test(name)) return undefined;
  return `must be at most ${max} letters, digits, _ and -, not ${shown(name)}`;
}

/**
 * The types of tools of all dialects and of some other providers. Types with a date, and those that
 * OpenRouter runs, change faster than this list.
 */
const toolTypes: ReadonlySet<string> = new Set([
  ...['function', 'custom', 'namespace', 'mcp', 'mcp_toolset', 'connector'],
  ...['web_search', 'web_search_preview', 'web_search_premium', 'browser_search', 'browser_automation'],
  ...['x_search', 'live_search', 'collections_search', 'file_search', 'retrieval', 'document_library'],
  ...['code_interpreter', 'code_execution', 'shell', 'local_shell', 'apply_patch', 'computer'],
  ...['computer_use', 'computer_use_preview', 'image_generation', 'tool_search', 'google_search'],
  ...['tool_search_tool_bm25', 'tool_search_tool_regex', 'url_context', 'visit_website', 'wolfram_alpha'],
]);

const toolTypesBeyond = /^[a-z]+:|_(\d{8}|\d{4}_\d\d_\d\d)$/;

/** The problem with the type of a tool, to follow its path; undefined for a known one. */
export function describeToolTypeProblem(tool: unknown): string | undefined {
  const type = isJsonObject(tool) ? tool.type : undefined;
  if (typeof type !== 'string' || toolTypes.has(type) || toolTypesBeyond.test(type)) return undefined;
  return `must be function or another type of tool that upstreams know, not ${shown(type)}`;
}

function findToolTypeIssues({ tools }: JsonObject): readonly Issue[] {
  return asList(tools).flatMap((tool, index) => {
    const message = describeToolTypeProblem(tool);
    return message === undefined ? [] : [{ path: `/tools/${index}/type`, message }];
  });
}

interface NamedSchema {
  readonly path: string;
  readonly value: JsonObject;
  readonly schemaField: string;
}

/** Functions and custom tools, in any dialect. Tools of a provider have names of their own. */
function toolParts({ tools }: JsonObject): readonly NamedSchema[] {
  return asList(tools).flatMap((tool, index) => {
    if (!isJsonObject(tool)) return [];
    const path = `/tools/${index}`;
    for (const field of ['function', 'custom'])
      if (isJsonObject(tool[field]))
        return [{ path: `${path}/${field}`, value: tool[field], schemaField: 'parameters' }];
    if (isJsonObject(tool.input_schema)) return [{ path, value: tool, schemaField: 'input_schema' }];
    return tool.type === 'function' || tool.type === 'custom'
      ? [{ path, value: tool, schemaField: 'parameters' }]
      : [];
  });
}

/** Structured output, in any dialect. */
function formatParts({ response_format, text, output_config, output_format }: JsonObject) {
  const formats: readonly (readonly [path: string, format: unknown])[] = [
    ['/response_format/json_schema', asObject(response_format).json_schema],
    ['/text/format', asObject(text).format],
    ['/output_config/format', asObject(output_config).format],
    ['/output_format', output_format],
  ];
  return formats.flatMap(([path, value]) =>
    isJsonObject(value) ? [{ path, value, schemaField: 'schema' }] : [],
  );
}

interface Bound {
  readonly path: readonly [string, ...string[]];
  readonly min?: number;
  readonly max?: number;
}

/** Which presetd does not enforce: OpenRouter accepts them for models of other providers. */
const bounds: Readonly<Record<Dialect, readonly Bound[]>> = {
  'chat-completions': [{ path: ['reasoning', 'max_tokens'], min: 1 }],
  messages: [
    { path: ['temperature'], max: 1 },
    { path: ['thinking', 'budget_tokens'], min: 1_024 },
  ],
  responses: [{ path: ['reasoning', 'max_tokens'], min: 1 }],
};

function findNumberIssues(body: JsonObject, dialect: Dialect): readonly Issue[] {
  return bounds[dialect].flatMap(({ path, min, max }) => {
    const value = roundNumbers(path.reduce<unknown>((object, name) => asObject(object)[name], body));
    const at = `/${path.join('/')}`;
    if (typeof value !== 'number') return [];
    if (min !== undefined && value < min) return [{ path: at, message: `must be at least ${min}` }];
    return max !== undefined && value > max ? [{ path: at, message: `must be at most ${max}` }] : [];
  });
}
