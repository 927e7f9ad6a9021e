import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { actorFrom } from '../organization/actor.ts';
import { assertMay, may, roleIn } from '../organization/assert-may.ts';
import type { Caller } from '../organization/caller.ts';
import type { WorkspaceAddress } from '../organization/workspace.ts';
import { unknownWorkspace } from '../organization/workspace-access.ts';
import { assertNoIssues } from '../request-issues.ts';
import { findTextIssues, textProblem } from '../text/storable-text.ts';
import { assertPrecondition, hasPrecondition, type Precondition } from './precondition.ts';
import {
  type CapturedPreset,
  type Dialect,
  type Preset,
  type PresetState,
  type PresetVersion,
  type VersionTexts,
  versionBytesMax,
} from './preset.ts';
import { type PresetRequest, presetFor } from './preset-access.ts';
import { addVersion, emptyPreset, type PresetChange } from './preset-change.ts';
import { findPresetsUsedAsModels } from './preset-reference.ts';
import type { ChangedPreset, NewVersion, PresetStore } from './preset-storage.ts';

/** How long a repeated Idempotency-Key gets the first response again. */
const idempotencyWindowMs = 24 * 60 * 60_000;

interface CreateVersion extends PresetRequest {
  readonly dialect: Dialect;
  readonly captured: CapturedPreset;
  readonly precondition: Precondition;
  /** From the Idempotency-Key header. The hash distinguishes a retry from another request. */
  readonly idempotencyKey: { readonly key: string; readonly requestHash: string } | undefined;
}

/**
 * Stores a captured request as the next version of a preset, creating the preset if needed, and
 * designates it unless the request says otherwise. Usually this is a single write that shares its
 * commit with concurrent ones. A version that does not go live, a precondition or an idempotency
 * key needs the current state, so those run in a transaction of their own, and so do the versions
 * of people, who create few.
 *
 * A version that replaces the live one needs the right to release. The first version of a preset
 * goes live anyway, and needs only the right to write.
 */
export async function createVersion(
  presets: PresetStore,
  clock: Clock,
  request: CreateVersion,
): Promise<ChangedPreset> {
  const version = newVersion(clock, request);
  const { caller, precondition, idempotencyKey, captured } = request;
  const isPlain = captured.designate && idempotencyKey === undefined && !hasPrecondition(precondition);
  if (isPlain && caller.kind === 'api' && may(caller, version.workspaceId, 'release'))
    return { preset: await presets.createVersion(version), isReplay: false };
  // Assigned again inside the transaction.
  let current = caller;
  const actor = actorFrom(caller, clock, (found) => {
    presetFor({ ...request, caller: found, workspaceId: version.workspaceId }, 'write');
    current = found;
  });
  const changed = await presets.change(
    version,
    actor,
    (preset) => {
      assertPrecondition(preset, precondition);
      if (preset !== undefined && captured.designate) assertMayRelease(current, version);
      return addTo(preset, version, captured.designate);
    },
    idempotencyKey && {
      ...idempotencyKey,
      at: version.createdAt,
      expiredBefore: earlier(version.createdAt, idempotencyWindowMs),
    },
  );
  if (changed === undefined) throw new Error('adding a version returned no preset');
  return changed;
}

/**
 * Returns what `createVersion` would return, without storing anything, and the live version that
 * the new one would replace. The ids in the preset are placeholders.
 */
export async function previewVersion(
  presets: PresetStore,
  clock: Clock,
  request: CreateVersion,
): Promise<{ readonly preset: Preset; readonly replaced: PresetVersion | undefined }> {
  const version = newVersion(clock, request);
  const current = await presets.state(version);
  if (current === undefined) await assertWorkspace(presets, version);
  assertPrecondition(current, request.precondition);
  const isReplacing = current !== undefined && request.captured.designate;
  if (isReplacing) assertMayRelease(request.caller, version);
  // A preview shows the version that would be stored, live or not.
  const { next, versions } = addTo(current, version, true);
  const [designatedVersion = toVersion(version)] = versions;
  const [replaced] = isReplacing
    ? await presets.versions(current.id, { offset: current.designatedNumber - 1, limit: 1 })
    : [];
  return { preset: { ...next, designatedVersion }, replaced };
}

/** A missing preset can also mean a missing workspace, which the read does not distinguish. */
async function assertWorkspace(presets: PresetStore, workspace: WorkspaceAddress): Promise<void> {
  const emptyFilter = { statuses: [], words: [] };
  if ((await presets.list(workspace, emptyFilter, { offset: 0, limit: 1 })) === undefined)
    throw unknownWorkspace(workspace.workspaceId);
}

function newVersion(clock: Clock, request: CreateVersion): NewVersion {
  const { caller, dialect, captured } = request;
  const address = presetFor(request, 'write');
  const { workspaceId } = address;
  return {
    ...address,
    presetId: newId(),
    versionId: newId(),
    author: actorFrom(caller, clock, (current) =>
      presetFor({ ...request, caller: current, workspaceId }, 'release'),
    ),
    dialect,
    ...serializeCapture(captured),
    createdAt: clock(),
  };
}

/** The texts of a version. Throws if one of the engines cannot store them. */
export function serializeCapture(captured: CapturedPreset): VersionTexts {
  const { config, systemPrompt, extension } = captured;
  assertNoIssues(findPresetsUsedAsModels(config));
  const configJson = JSON.stringify(config);
  const extensionJson = extension && JSON.stringify(extension);
  assertStorablePreset(captured, configJson, extensionJson);
  const texts = { configJson, systemPrompt, extensionJson };
  assertVersionSize(texts);
  return texts;
}

/** Rejects text that an engine cannot return unchanged. Checks only the captured fields. */
export function assertStorablePreset(
  { config, systemPrompt, extension }: Pick<CapturedPreset, 'config' | 'systemPrompt' | 'extension'>,
  configJson: string,
  extensionJson: string | null,
): void {
  const promptProblem = textProblem(systemPrompt ?? '');
  assertNoIssues([
    ...findTextIssues(config, configJson),
    ...findTextIssues(extension, extensionJson ?? '', '/presetd'),
    // The prompt can be assembled from several messages, so the issue has no path.
    ...(promptProblem === undefined
      ? []
      : [{ path: '', message: `has a system prompt that ${promptProblem}` }]),
  ]);
}

/** Throws `forbidden` with the way out: the version can be stored without going live. */
function assertMayRelease(caller: Caller, { workspaceId }: WorkspaceAddress): void {
  if (may(caller, workspaceId, 'release')) return;
  if (roleIn(caller, workspaceId) !== 'editor') assertMay(caller, workspaceId, 'release');
  throw new PresetdError(
    'forbidden',
    'An editor of this workspace cannot change the live version. Send "presetd": {"designate": false} to store the version without making it live.',
    { issues: [{ path: '/presetd/designate', message: 'must be false' }] },
  );
}

function addTo(current: PresetState | undefined, version: NewVersion, designate: boolean): PresetChange {
  const { presetId, author, createdAt } = version;
  const base = current ?? emptyPreset(version, presetId, author.userId, createdAt);
  return addVersion(base, toVersion(version), designate);
}

/** The rule `addVersion` replaces the number, and the preset id if the preset exists. */
function toVersion(version: NewVersion): PresetVersion {
  const { versionId, presetId, dialect, configJson, systemPrompt, extensionJson, author, createdAt } =
    version;
  return {
    id: versionId,
    presetId,
    version: 1,
    dialect,
    configJson,
    systemPrompt,
    extensionJson,
    creatorId: author.userId,
    createdAt,
  };
}

function earlier(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString();
}

/** Throws `too_large` beyond `versionBytesMax`. */
export function assertVersionSize({ configJson, systemPrompt, extensionJson }: VersionTexts): void {
  const texts = [configJson, systemPrompt ?? '', extensionJson ?? ''];
  const sum = (lengthOf: (text: string) => number) =>
    texts.reduce((total, text) => total + lengthOf(text), 0);
  // A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need no exact count.
  if (sum((text) => text.length) * 3 <= versionBytesMax) return;
  const bytes = sum(Buffer.byteLength);
  if (bytes <= versionBytesMax) return;
  const what =
    extensionJson === null ? 'config and system prompt' : 'config, system prompt and presetd object';
  throw new PresetdError(
    'too_large',
    `The captured ${what} are ${bytes} bytes; a version can hold at most ${versionBytesMax}.`,
  );
}
