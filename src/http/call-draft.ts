import { CallDraft } from '../api/inference.ts';
import { PresetdError } from '../core/errors.ts';
import { isJsonObject, type JsonObject } from '../core/json/json-object.ts';
import { assertMay } from '../core/organization/assert-may.ts';
import type { Caller } from '../core/organization/caller.ts';
import { accessibleWorkspace } from '../core/organization/workspace-access.ts';
import { serializeCapture } from '../core/presets/create-version.ts';
import type { DraftVersion } from '../core/presets/preset.ts';
import { dialectOf } from '../dialects/dialects.ts';
import { captureRequest, withFurtherIssues } from './validation/capture-issues.ts';
import { findSchemaError } from './validation/validation.ts';
import { summarizeIssues } from './validation/validation-issues.ts';

/**
 * The draft in the body of a call; undefined if it has none. It is checked and captured as if it
 * were saved: throws `forbidden` if the caller may not change presets, `invalid_request` or
 * `too_large` if it could not be saved. `exactBody` is the same body with exact numbers.
 */
export function parseDraft(
  caller: Caller,
  { presetd }: JsonObject,
  exactBody: JsonObject,
): DraftVersion | undefined {
  // Null is not valid either: a mistyped draft must not become a billed call of the live version.
  if (!isJsonObject(presetd) || !Object.hasOwn(presetd, 'draft')) return undefined;
  const { workspaceId } = accessibleWorkspace(caller, undefined, 'call');
  assertMay(caller, workspaceId, 'write', 'run drafts');
  const error = findSchemaError(CallDraft.name, presetd.draft);
  if (error !== undefined) throw below('/presetd/draft', error);
  const exact = exactBody as { readonly presetd: { readonly draft: CallDraft } };
  try {
    return capture(presetd.draft as CallDraft, exact.presetd.draft.request);
  } catch (error) {
    throw below('/presetd/draft/request', error);
  }
}

/** Validates with plain numbers, as the schema needs them, and captures the exact ones. */
function capture({ dialect, request }: CallDraft, exactRequest: object): DraftVersion {
  const error = findSchemaError(dialectOf[dialect].request.schemaName, request);
  if (error !== undefined) throw withFurtherIssues(error, request, dialect);
  return { version: 'draft', dialect, ...serializeCapture(captureRequest(exactRequest, dialect)) };
}

/** The same error with issues whose paths start at the body of the call. */
function below(path: string, error: unknown): unknown {
  if (!(error instanceof PresetdError) || error.issues === undefined) return error;
  const issues = error.issues.map((issue) => ({ ...issue, path: path + issue.path }));
  return new PresetdError(error.kind, `The request body is not valid: ${summarizeIssues(issues)}.`, {
    issues,
  });
}
