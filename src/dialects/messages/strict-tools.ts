import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { listSchemas } from '../model/json-schema.ts';

/**
 * Anthropic's limits for the strict tools of a request and its output format together.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#schema-complexity-limits
 */
const limits = { tools: 20, optional: 24, unions: 16 };

/**
 * Removes `strict` from each tool of a messages request that exceeds a limit. Tools work without
 * it; the output format, which does not, comes first.
 */
export function limitStrictTools(body: JsonObject, drop: (path: string) => void): JsonObject {
  const { tools, output_config: config } = body;
  if (!Array.isArray(tools) || !tools.some(isStrict)) return body;
  const format = isJsonObject(config) && isJsonObject(config.format) ? config.format.schema : undefined;
  let total = { ...complexityOf(format), tools: 0 };
  const limited = tools.map((tool: unknown) => {
    if (!isStrict(tool)) return tool;
    const next = add(total, complexityOf(tool.input_schema));
    if (isWithinLimits(next)) {
      total = next;
      return tool;
    }
    drop(`tools.${tool.name}.strict`);
    const { strict: _, ...rest } = tool;
    return rest;
  });
  return { ...body, tools: limited };
}

type Complexity = typeof limits;

function isStrict(tool: unknown): tool is JsonObject {
  return isJsonObject(tool) && tool.strict === true;
}

/** A list of types is a union, too. */
function complexityOf(schema: unknown): Complexity {
  const schemas = listSchemas(schema);
  return {
    tools: 1,
    optional: schemas.reduce((sum, each) => sum + optionalIn(each), 0),
    unions: schemas.filter(({ anyOf, type }) => anyOf !== undefined || Array.isArray(type)).length,
  };
}

function optionalIn({ properties, required }: JsonObject): number {
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return names.filter((name) => !(Array.isArray(required) && required.includes(name))).length;
}

function add(one: Complexity, other: Complexity): Complexity {
  return {
    tools: one.tools + other.tools,
    optional: one.optional + other.optional,
    unions: one.unions + other.unions,
  };
}

function isWithinLimits({ tools, optional, unions }: Complexity): boolean {
  return tools <= limits.tools && optional <= limits.optional && unions <= limits.unions;
}
