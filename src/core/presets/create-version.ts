import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import {
  authorOf,
  type PresetRequest,
  unknownWorkspace,
  writablePreset,
} from '../organization/workspace-access.ts';
import { assertNoIssues } from '../request-issues.ts';
import { assertStorablePreset } from '../storable-text.ts';
import type { ChangedPreset, NewVersion, PresetStore } from '../storage.ts';
import { assertPrecondition, hasPrecondition, type Precondition } from './precondition.ts';
import type {
  CapturedPreset,
  Dialect,
  Preset,
  PresetState,
  PresetVersion,
  WorkspaceAddress,
} from './preset.ts';
import { addVersion, emptyPreset, type PresetChange } from './preset-change.ts';
import { findPresetsUsedAsModels } from './preset-reference.ts';

/**
 * For config and system prompt together: generous for a prompt, small enough to cache many of them.
 */
export const versionBytesMax = 1_048_576;

/** How long a repeated Idempotency-Key gets the first response again. */
const idempotencyWindowMs = 24 * 60 * 60_000;

export interface CreateVersion extends PresetRequest {
  readonly dialect: Dialect;
  readonly captured: CapturedPreset;
  readonly precondition: Precondition;
  /** From the Idempotency-Key header. The hash distinguishes a retry from another request. */
  readonly idempotencyKey: { readonly key: string; readonly requestHash: string } | undefined;
}

/**
 * Stores a captured request as the next version of a preset and designates it, creating the preset
 * if needed. Without a precondition or idempotency key this is a single write that shares its
 * commit with concurrent ones; otherwise it runs in a transaction of its own.
 */
export async function createVersion(
  presets: PresetStore,
  clock: Clock,
  request: CreateVersion,
): Promise<ChangedPreset> {
  const version = newVersion(clock, request);
  const { precondition, idempotencyKey } = request;
  if (idempotencyKey === undefined && !hasPrecondition(precondition)) {
    return { preset: await presets.createVersion(version), isReplay: false };
  }
  const changed = await presets.change(
    version,
    version.author,
    (current) => {
      assertPrecondition(current, precondition);
      return addTo(current, version);
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
 * Returns what `createVersion` would return, without storing anything. The ids in it are
 * placeholders.
 */
export async function previewVersion(
  presets: PresetStore,
  clock: Clock,
  request: CreateVersion,
): Promise<Preset> {
  const version = newVersion(clock, request);
  const current = await presets.state(version);
  if (current === undefined) await assertWorkspace(presets, version);
  assertPrecondition(current, request.precondition);
  const { next, versions } = addTo(current, version);
  const [designatedVersion = toVersion(version)] = versions;
  return { ...next, designatedVersion };
}

/** A missing preset can also mean a missing workspace, which the read does not distinguish. */
async function assertWorkspace(presets: PresetStore, workspace: WorkspaceAddress): Promise<void> {
  const emptyFilter = { statuses: [], words: [] };
  if ((await presets.list(workspace, emptyFilter, { offset: 0, limit: 1 })) === undefined)
    throw unknownWorkspace(workspace.workspaceId);
}

function newVersion(clock: Clock, request: CreateVersion): NewVersion {
  const { caller, dialect, captured } = request;
  const address = writablePreset(request);
  assertNoIssues(findPresetsUsedAsModels(captured.config));
  const configJson = JSON.stringify(captured.config);
  assertStorablePreset(captured, configJson);
  assertVersionSize(configJson, captured.systemPrompt);
  return {
    ...address,
    presetId: newId(),
    versionId: newId(),
    author: authorOf(caller),
    dialect,
    configJson,
    systemPrompt: captured.systemPrompt,
    createdAt: clock(),
  };
}

function addTo(current: PresetState | undefined, version: NewVersion): PresetChange {
  const { presetId, author, createdAt } = version;
  return addVersion(current ?? emptyPreset(version, presetId, author.userId, createdAt), toVersion(version));
}

/** The rule `addVersion` replaces the number, and the preset id if the preset exists. */
function toVersion(version: NewVersion): PresetVersion {
  const { versionId, presetId, dialect, configJson, systemPrompt, author, createdAt } = version;
  return {
    id: versionId,
    presetId,
    version: 1,
    dialect,
    configJson,
    systemPrompt,
    creatorId: author.userId,
    createdAt,
  };
}

function earlier(time: string, ms: number): string {
  return new Date(Date.parse(time) - ms).toISOString();
}

/** Throws `too_large` beyond `versionBytesMax`. */
export function assertVersionSize(configJson: string, systemPrompt: string | null): void {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so short texts need no exact count.
  if ((configJson.length + (systemPrompt?.length ?? 0)) * 3 <= versionBytesMax) return;
  const bytes = Buffer.byteLength(configJson) + Buffer.byteLength(systemPrompt ?? '');
  if (bytes <= versionBytesMax) return;
  throw new PresetdError(
    'too_large',
    `The captured config and system prompt are ${bytes} bytes; a version can hold at most ${versionBytesMax}.`,
  );
}
