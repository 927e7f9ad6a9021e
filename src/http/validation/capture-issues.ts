import { type Issue, PresetdError } from '../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { pointerSegment } from '../../core/json/json-pointer.ts';
import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';
import { findPresetsUsedAsModels } from '../../core/presets/preset-reference.ts';
import { assertNoIssues } from '../../core/request-issues.ts';
import { dialectOf } from '../../dialects/dialects.ts';
import { capturePreset } from '../../dialects/presets/capture-preset.ts';
import { findExtensionIssues } from '../../dialects/presets/extension/check-extension.ts';
import { partition } from './json-schema.ts';
import { findSchemaError } from './validation.ts';
import { issuesMax, summarizeIssues } from './validation-issues.ts';

/** Captures a request that conforms to its schema. Throws for what a schema cannot express. */
export function captureRequest(request: object, dialect: Dialect): CapturedPreset {
  const captured = capturePreset(request, dialect);
  assertNoIssues(findCaptureIssues(captured, dialect));
  return captured;
}

/** Issues that a schema cannot express. */
function findCaptureIssues(captured: CapturedPreset, dialect: Dialect): readonly Issue[] {
  return [...findPresetsUsedAsModels(captured.config), ...findExtensionIssues(captured, dialect)];
}

/**
 * The error for a request that violates its schema. If the rest of the request is valid, its issues
 * are reported as well, so that people need not fix a request in several rounds.
 */
export function withFurtherIssues(error: Error, request: unknown, dialect: Dialect): Error {
  if (!(error instanceof PresetdError) || !isJsonObject(request)) return error;
  const { issues = [] } = error;
  const { schemaName, minimalConversation } = dialectOf[dialect].request;
  const rest = { model: '', ...minimalConversation, ...withoutInvalidFields(request, issues) };
  if (findSchemaError(schemaName, rest) !== undefined) return error;
  const all = [...issues, ...findCaptureIssues(capturePreset(rest, dialect), dialect)];
  return new PresetdError('invalid_request', `The request body is not valid: ${summarizeIssues(all)}.`, {
    issues: all.slice(0, issuesMax),
  });
}

/** Removes invalid fields; the `presetd` object loses only its invalid keys. */
function withoutInvalidFields(body: JsonObject, issues: readonly Issue[]): JsonObject {
  const [inExtension, others] = partition(issues, ({ path }) => path.startsWith('/presetd/'));
  const { presetd } = body;
  return {
    ...withoutFields(body, others, ''),
    ...(isJsonObject(presetd) && { presetd: withoutFields(presetd, inExtension, '/presetd') }),
  };
}

function withoutFields(value: JsonObject, issues: readonly Issue[], path: string): JsonObject {
  const invalid = new Set(issues.map((issue) => issue.path.slice(path.length).split('/')[1]));
  const valid = Object.entries(value).filter(([name]) => !invalid.has(pointerSegment(name).slice(1)));
  return Object.fromEntries(valid);
}
