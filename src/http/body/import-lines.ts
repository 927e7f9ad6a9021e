import type { CaseLine, DraftLine, ImportLine, PresetLine, VersionLine } from '../../api/transfer.ts';
import { type Issue, PresetdError } from '../../core/errors.ts';
import { caseNameProblem } from '../../core/presets/case-name.ts';
import { toContentJson } from '../../core/presets/cases.ts';
import { assertStorablePreset, assertVersionSize } from '../../core/presets/create-version.ts';
import { assertDraftSize } from '../../core/presets/drafts.ts';
import type { ImportedDraft, ImportedPreset, ImportedVersion } from '../../core/presets/import-change.ts';
import { isReservedLabel } from '../../core/presets/label.ts';
import { findPresetsUsedAsModels } from '../../core/presets/preset-reference.ts';
import { assertNoIssues } from '../../core/request-issues.ts';
import { nameProblem } from '../../core/text/name.ts';
import { textProblem } from '../../core/text/storable-text.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { capturePreset } from '../../dialects/presets/capture-preset.ts';
import { findExtensionIssues } from '../../dialects/presets/extension/check-extension.ts';

/** Each preset is one transaction, so this bounds how long a request can take. */
const presetsMax = 1_000;

/** The framework's compiled validator for a schema; `error` is set for an invalid value. */
type Validate = (value: unknown) => { readonly error?: Error };

/**
 * Groups lines into presets and checks what the schema cannot express: that versions follow their
 * preset without gaps, and that capturing a config again would yield the same config. So an import
 * cannot store anything that a capture could not. Throws at the first invalid line.
 *
 * `exactLines` are the same lines with exact numbers, as in `parseJsonLines`.
 */
export function parseImport(
  lines: readonly ImportLine[],
  exactLines: readonly ImportLine[],
  validatorOf: (schemaName: string) => Validate,
): readonly ImportedPreset[] {
  const presets: PresetParts[] = [];
  const slugs = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (line.type === 'preset') {
      if (slugs.has(line.slug)) throw invalidLine(index, '/slug', 'must not repeat an earlier preset');
      slugs.add(line.slug);
      presets.push(toPreset(line, index));
      if (presets.length > presetsMax)
        throw invalidLine(index, '', `must be in another request: the limit is ${presetsMax} presets`);
    } else if (line.type !== 'export' && line.type !== 'end') {
      const preset = presets.at(-1);
      if (preset?.slug !== line.slug)
        throw invalidLine(index, '/slug', 'must be the slug of the preceding preset');
      if (line.type === 'case') {
        addCase(preset, line, exactLines[index] as CaseLine, index);
        continue;
      }
      if (line.type === 'draft') {
        preset.draft = toDraft(preset, line, index);
        continue;
      }
      const last = preset.versions.at(-1)?.version;
      if (last !== undefined && line.version !== last + 1)
        throw invalidLine(index, '/version', `must be ${last + 1}, the number after the preceding version`);
      if (line.version > preset.versionCount)
        throw invalidLine(
          index,
          '/version',
          `must be at most ${preset.versionCount}, the "versions" of its preset`,
        );
      preset.versions.push(toVersion(line, exactLines[index] as VersionLine, index, validatorOf));
    }
  }
  return presets;
}

/** A preset while its lines are read. */
type PresetParts = ImportedPreset & {
  readonly versions: ImportedVersion[];
  readonly cases: Map<string, string>;
  draft: ImportedDraft | undefined;
};

/** Checks what concerns the preset line alone. The other parts are added as their lines follow. */
function toPreset(line: PresetLine, index: number): PresetParts {
  const labels = new Map(Object.entries(line.labels));
  if (Math.max(line.designated_version, ...labels.values()) > line.versions)
    throw invalidLine(
      index,
      '/versions',
      'must be at least the designated version and every labeled version',
    );
  const builtInLabel = [...labels.keys()].find(isReservedLabel);
  if (builtInLabel !== undefined)
    throw invalidLine(index, `/labels/${builtInLabel}`, 'is a built-in label; remove it');
  const { slug, aliases = [] } = line;
  if (aliases.includes(slug))
    throw invalidLine(index, `/aliases/${aliases.indexOf(slug)}`, 'must not be the slug of the preset');
  const name = nameProblem(line.name);
  if (name !== undefined) throw invalidLine(index, '/name', name);
  const description = line.description === null ? undefined : textProblem(line.description);
  if (description !== undefined) throw invalidLine(index, '/description', description);
  for (const [place, each] of (line.cases ?? []).entries()) {
    const problem = caseNameProblem(each);
    if (problem !== undefined) throw invalidLine(index, `/cases/${place}`, problem);
  }
  return {
    slug,
    createdAt: line.created_at,
    details: {
      name: line.name,
      description: line.description,
      status: line.status,
      statusUpdatedAt: line.status_updated_at,
      updatedAt: line.updated_at,
    },
    versionCount: line.versions,
    designatedVersion: line.designated_version,
    labels,
    aliases,
    tags: line.tags ?? [],
    versions: [],
    caseNames: line.cases,
    cases: new Map(),
    draft: undefined,
  };
}

function addCase(
  { caseNames, cases }: PresetParts,
  line: CaseLine,
  exactLine: CaseLine,
  index: number,
): void {
  const { name } = line;
  if (!caseNames?.includes(name))
    throw invalidLine(index, '/name', 'must be one of the "cases" of the preceding preset');
  if (cases.has(name)) throw invalidLine(index, '/name', 'must not repeat an earlier case of the preset');
  cases.set(
    name,
    located(index, () => toContentJson(exactLine)),
  );
}

function toDraft({ versionCount }: PresetParts, line: DraftLine, index: number): ImportedDraft {
  const { text, dialect, base_version: baseVersion, updated_at: updatedAt } = line;
  if (baseVersion > versionCount)
    throw invalidLine(
      index,
      '/base_version',
      `must be at most ${versionCount}, the "versions" of its preset`,
    );
  const problem = textProblem(text);
  if (problem !== undefined) throw invalidLine(index, '/text', problem);
  located(index, () => assertDraftSize({ text }));
  return { text, dialect, baseVersion, updatedAt };
}

/** Validates with plain numbers, as the schema needs them, and stores the exact ones. */
function toVersion(
  line: VersionLine,
  exactLine: VersionLine,
  index: number,
  validatorOf: (schemaName: string) => Validate,
): ImportedVersion {
  const { version, dialect, system_prompt: systemPrompt, created_at: createdAt, config } = line;
  const { schemaName, minimalConversation } = dialectOf[dialect].request;
  // A stored config has no conversation, which the schema of a request requires; add an empty one.
  const requestOf = ({ config, presetd }: VersionLine) => ({
    ...config,
    ...minimalConversation,
    ...(presetd !== undefined && { presetd }),
  });
  const { error } = validatorOf(schemaName)(requestOf(line));
  if (error !== undefined) throw atConfig(error, index);
  const configJson = JSON.stringify(exactLine.config);
  const captured = { ...capturePreset(requestOf(exactLine), dialect), systemPrompt };
  const extensionJson = captured.extension && JSON.stringify(captured.extension);
  // Equal only if capturing drops and renames nothing.
  if (JSON.stringify(captured.config) !== configJson)
    throw invalidLine(
      index,
      '/config',
      `must have only fields that a preset saves from a ${dialect} request, and no null`,
    );
  try {
    assertNoIssues([
      ...findPresetsUsedAsModels(config),
      ...findExtensionIssues(captured, dialect, '/system_prompt'),
    ]);
    assertStorablePreset(captured, configJson, extensionJson);
    assertVersionSize({ configJson, systemPrompt, extensionJson });
  } catch (error) {
    throw atConfig(error, index);
  }
  return { version, dialect, configJson, systemPrompt, extensionJson, createdAt };
}

/**
 * An issue whose path starts with the index of the line, as validation of the array would have it.
 */
function invalidLine(index: number, path: string, message: string): PresetdError {
  const issue: Issue = { path: `/${index}${path}`, message };
  return new PresetdError('invalid_request', `The request body is not valid: ${issue.path} ${message}.`, {
    issues: [issue],
  });
}

/** Fields of a line besides its config. */
const besideConfig = /^\/(presetd|system_prompt)(\/|$)/;

/** The same error with paths that start at the line, instead of at the request. */
function atConfig(error: unknown, index: number): unknown {
  return atLine(error, index, (path) => (besideConfig.test(path) ? path : `/config${path}`));
}

/** Checks one line. The paths of its errors begin with the line. */
function located<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw atLine(error, index, (path) => path);
  }
}

function atLine(error: unknown, index: number, pathOf: (path: string) => string): unknown {
  if (!(error instanceof PresetdError)) return error;
  const issues = (error.issues ?? []).map(({ path, message }) => ({
    path: `/${index}${pathOf(path)}`,
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
