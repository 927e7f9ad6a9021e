/** A line of an export, as far as it has to be understood in order to be passed on. */
export type ExportLine =
  | { readonly type: 'export'; readonly format: number; readonly presets: number }
  | { readonly type: 'preset'; readonly slug: string; readonly versions: number }
  | { readonly type: 'version'; readonly slug: string; readonly version: number }
  | { readonly type: 'end'; readonly presets: number; readonly versions: number };

/** Throws an `Error` whose message continues "line 3 …". */
export function parseExportLine(bytes: Buffer): ExportLine {
  const value = parseJson(bytes);
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const members = Object.hasOwn(membersOf, String(type)) ? membersOf[String(type)] : undefined;
  if (members === undefined) throw new Error('is not a line of an export');
  for (const [name, kind] of Object.entries(members)) {
    const member: unknown = Reflect.get(Object(value), name);
    if (typeof member !== kind) throw new Error(`must have a ${kind} as "${name}"`);
  }
  return value as ExportLine;
}

const membersOf: Readonly<Record<string, Readonly<Record<string, 'number' | 'string'>>>> = {
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
