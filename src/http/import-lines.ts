import { Type } from 'typebox';
import { assertKeptSize } from '../core/create-version.ts';
import { type Issue, PresetdError } from '../core/errors.ts';
import { exportFormat } from '../core/export-presets.ts';
import type { ImportedPreset, ImportedVersion } from '../core/imported-preset.ts';
import { isOwnLabel, labelPattern, labelRule, labelsMax } from '../core/label.ts';
import { findPresetsUsedAsModels } from '../core/named-models.ts';
import { nameProblem } from '../core/preset-name.ts';
import { assertNoIssues } from '../core/request-text.ts';
import { slugPattern, slugRule } from '../core/slug.ts';
import { assertStorable, describeText } from '../core/storable-text.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { nullable } from './preset-response.ts';

const time = Type.String({
  pattern: '^(19[789]|2\\d\\d)\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$',
  format: 'date-time',
  'x-must': 'must be a time since 1970 such as 2026-01-31T12:00:00.000Z',
});
const slug = Type.String({ pattern: slugPattern, 'x-must': slugRule });
const versionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_646 });
const closed = { additionalProperties: false };

const headLine = Type.Object(
  { type: Type.Literal('export'), format: Type.Literal(exportFormat), presets: Type.Integer() },
  closed,
);

const presetLine = Type.Object(
  {
    type: Type.Literal('preset'),
    slug,
    name: Type.String({ minLength: 1, maxLength: 200 }),
    description: nullable(Type.String({ maxLength: 2_000 })),
    status: Type.Enum(['active', 'disabled', 'archived']),
    status_updated_at: nullable(time),
    created_at: time,
    updated_at: time,
    versions: versionNumber,
    designated_version: versionNumber,
    labels: Type.Unsafe<Record<string, number>>({
      type: 'object',
      propertyNames: { pattern: labelPattern, 'x-must': labelRule },
      additionalProperties: versionNumber,
      maxProperties: labelsMax,
    }),
  },
  closed,
);

const versionLine = Type.Object(
  {
    type: Type.Literal('version'),
    slug,
    version: versionNumber,
    dialect: Type.Enum(['chat-completions', 'messages', 'responses']),
    system_prompt: nullable(Type.String({ minLength: 1 })),
    created_at: time,
    config: Type.Record(Type.String(), Type.Unknown()),
  },
  closed,
);

const endLine = Type.Object(
  { type: Type.Literal('end'), presets: Type.Integer(), versions: Type.Integer() },
  closed,
);

export const importLines = Type.Array(Type.Union([headLine, presetLine, versionLine, endLine]), {
  description: 'One JSON value per line, as `/api/v1/export` writes them.',
});

/** Each is a transaction; nobody should wait for too many of them. */
const presetsMax = 1_000;

type PresetLine = Type.Static<typeof presetLine>;
type VersionLine = Type.Static<typeof versionLine>;

/** A line that has passed the schema. */
export type ImportLine =
  | Type.Static<typeof headLine>
  | PresetLine
  | VersionLine
  | Type.Static<typeof endLine>;

type Validate = (value: unknown) => { readonly error?: Error };

/**
 * Puts the lines together and checks what the schema cannot say: that versions follow their preset one by one, and that
 * capturing a config again would keep just that config. Whoever imports can store nothing that could not be captured.
 */
export function readImport(
  lines: readonly ImportLine[],
  exactLines: readonly ImportLine[],
  validatorOf: (schemaName: string) => Validate,
): readonly ImportedPreset[] {
  const presets: (ImportedPreset & { versions: ImportedVersion[] })[] = [];
  const slugs = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (line.type === 'preset') {
      if (slugs.has(line.slug)) throw refused(index, '/slug', 'must not be that of a preset before it');
      slugs.add(line.slug);
      presets.push(toPreset(line, index));
      if (presets.length > presetsMax)
        throw refused(index, '', `must be in another request, after ${presetsMax} presets`);
    } else if (line.type === 'version') {
      const preset = presets.at(-1);
      if (preset?.slug !== line.slug)
        throw refused(index, '/slug', 'must be the slug of the preset before it');
      const last = preset.versions.at(-1)?.version;
      if (last !== undefined && line.version !== last + 1)
        throw refused(index, '/version', `must be ${last + 1}, which follows the version before it`);
      if (line.version > preset.versionCount)
        throw refused(index, '/version', `must be at most ${preset.versionCount}, as its preset says`);
      const { config } = exactLines[index] as VersionLine;
      preset.versions.push(toVersion(line, config, index, validatorOf));
    }
  }
  return presets;
}

function toPreset(line: PresetLine, index: number): ImportedPreset & { versions: ImportedVersion[] } {
  const labels = new Map(Object.entries(line.labels));
  if (Math.max(line.designated_version, ...labels.values()) > line.versions)
    throw refused(index, '/versions', 'must be at least the designated version and those of the labels');
  const ownLabel = [...labels.keys()].find(isOwnLabel);
  if (ownLabel !== undefined)
    throw refused(index, `/labels/${ownLabel}`, 'always follows the preset; leave it out');
  const name = nameProblem(line.name);
  if (name !== undefined) throw refused(index, '/name', name);
  const description = line.description === null ? undefined : describeText(line.description);
  if (description !== undefined) throw refused(index, '/description', description);
  return {
    slug: line.slug,
    name: line.name,
    description: line.description,
    status: line.status,
    statusUpdatedAt: line.status_updated_at,
    createdAt: line.created_at,
    updatedAt: line.updated_at,
    versionCount: line.versions,
    designatedVersion: line.designated_version,
    labels,
    versions: [],
  };
}

/** The schema speaks of plain numbers; what is kept has every digit. */
function toVersion(
  line: VersionLine,
  exactConfig: VersionLine['config'],
  index: number,
  validatorOf: (schemaName: string) => Validate,
): ImportedVersion {
  const { version, dialect, system_prompt: systemPrompt, created_at: createdAt, config } = line;
  const { schemaName, capturePreset, minimalConversation } = dialectOf[dialect];
  const { error } = validatorOf(schemaName)({ ...config, ...minimalConversation });
  if (error !== undefined) throw atConfig(error, index);
  const configJson = JSON.stringify(exactConfig);
  const captured = capturePreset({ ...exactConfig, ...minimalConversation });
  if (JSON.stringify(captured.config) !== configJson)
    throw refused(
      index,
      '/config',
      `must hold only what a preset keeps of a ${dialect} request, and no null`,
    );
  try {
    assertNoIssues(findPresetsUsedAsModels(config));
    assertStorable({ ...captured, systemPrompt }, configJson);
    assertKeptSize(configJson, systemPrompt);
  } catch (error) {
    throw atConfig(error, index);
  }
  return { version, dialect, configJson, systemPrompt, createdAt };
}

function refused(index: number, path: string, message: string): PresetdError {
  const issue: Issue = { path: `/${index}${path}`, message };
  return new PresetdError('invalid_request', `The request body is not valid: ${issue.path} ${message}.`, {
    issues: [issue],
  });
}

/** The same problem, with the place that it has in the whole. */
function atConfig(error: unknown, index: number): unknown {
  if (!(error instanceof PresetdError)) return error;
  const issues = (error.issues ?? []).map(({ path, message }) => ({
    path: `/${index}/config${path}`,
    message,
  }));
  const [first] = issues;
  const problem =
    first === undefined ? `Line ${index + 1}: ${error.message}` : `${first.path} ${first.message}.`;
  return new PresetdError(
    error.kind,
    first === undefined ? problem : `The request body is not valid: ${problem}`,
    issues.length === 0 ? {} : { issues },
  );
}
