/**
 * One line of an export (NDJSON). Only the fields that the command line needs are declared; the
 * rest is passed on as bytes, so that a newer server can add fields.
 */
export type ExportLine =
  | { readonly type: 'export'; readonly format: number; readonly presets: number }
  | { readonly type: 'preset'; readonly slug: string; readonly versions: number }
  | { readonly type: 'version'; readonly slug: string; readonly version: number }
  | { readonly type: 'end'; readonly presets: number; readonly versions: number };

/** Throws an `Error` whose message continues a sentence that begins with "line 3". */
export function parseExportLine(bytes: Buffer): ExportLine {
  const value = parseJson(bytes);
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  // The type comes from a file: "constructor" must not find an inherited property.
  const fields = Object.hasOwn(requiredFields, String(type)) ? requiredFields[String(type)] : undefined;
  if (fields === undefined) throw new Error('is not a line of an export');
  for (const [name, kind] of Object.entries(fields)) {
    const field: unknown = Reflect.get(Object(value), name);
    if (typeof field !== kind) throw new Error(`must have a ${kind} "${name}"`);
  }
  return value as ExportLine;
}

const requiredFields: Readonly<Record<string, Readonly<Record<string, 'number' | 'string'>>>> = {
  export: { format: 'number', presets: 'number' },
  preset: { slug: 'string', versions: 'number' },
  version: { slug: 'string', version: 'number' },
  end: { presets: 'number', versions: 'number' },
};

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Error('is not JSON');
  }
}
