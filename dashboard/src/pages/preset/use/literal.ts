import { isPlainJsonObject, type JsonObject } from '../../../features/version-content/config-values.ts';

type Language = 'json' | 'typescript' | 'python';

/** A longer object takes one line per field. */
const inlineMax = 60;

/**
 * An object as source code, in a line that is indented by `indent` spaces. TypeScript gets the
 * quotes that the examples use.
 */
export function literal(object: JsonObject, language: Language, indent = 4): string {
  const fields = Object.entries(object).map(([name, value]) => fieldIn(name, value, language));
  const inline = braced(fields, language);
  if (inline.length <= inlineMax) return inline;
  const space = ' '.repeat(indent);
  const step = ' '.repeat(language === 'python' ? 4 : 2);
  // JSON has no trailing comma.
  const end = language === 'json' ? '\n' : ',\n';
  return `{\n${fields.map((field) => `${space}${step}${field}`).join(',\n')}${end}${space}}`;
}

function fieldIn(name: string, value: unknown, language: Language): string {
  const isPlain = language === 'typescript' && /^[A-Za-z_$][\w$]*$/.test(name);
  return `${isPlain ? name : JSON.stringify(name)}: ${valueIn(value, language)}`;
}

function valueIn(value: unknown, language: Language): string {
  if (Array.isArray(value)) return `[${value.map((item) => valueIn(item, language)).join(', ')}]`;
  if (isPlainJsonObject(value))
    return braced(
      Object.entries(value).map(([name, item]) => fieldIn(name, item, language)),
      language,
    );
  // Escapes of JSON mean the same in the other languages.
  const json = JSON.stringify(value);
  if (language === 'typescript' && typeof value === 'string' && !/['"\\]/.test(json.slice(1, -1)))
    return `'${value}'`;
  return language === 'python' ? (pythonConstants[json] ?? json) : json;
}

const pythonConstants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };

/** Prettier puts spaces inside the braces of an object. */
function braced(fields: readonly string[], language: Language): string {
  if (fields.length === 0) return '{}';
  return language === 'typescript' ? `{ ${fields.join(', ')} }` : `{${fields.join(', ')}}`;
}
