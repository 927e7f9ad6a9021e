import type { Clock } from './clock.ts';
import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';
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
import { findPresetsUsedAsModels } from './presets-used-as-models.ts';
import { assertNoIssues } from './request-issues.ts';
import { assertStorablePreset } from './storable-text.ts';
import type { ChangedPreset, NewVersion, PresetStore } from './storage.ts';
import { authorOf, type PresetRequest, unknownWorkspace, writablePreset } from './workspace-access.ts';

/** A config and a system prompt together: generous for any prompt, small enough to keep in memory by the thousand. */
export const versionBytesMax = 1_048_576;

/** For how long a repeated Idempotency-Key gets the first answer again. */
const rememberedMs = 24 * 60 * 60_000;

export interface CreateVersion extends PresetRequest {
  readonly dialect: Dialect;
  readonly captured: CapturedPreset;
  readonly precondition: Precondition;
  /** The key of a request that may arrive twice, with a hash that tells it from other requests. */
  readonly idempotencyKey?: { readonly key: string; readonly requestHash: string } | undefined;
}

/**
 * Stores a captured request as the next version of a preset. Without a condition it reads nothing before its one
 * write, which shares its commit with others; with one, it has a transaction of its own.
 */
export async function createVersion(
  presets: PresetStore,
  clock: Clock,
  request: CreateVersion,
): Promise<ChangedPreset> {
  const version = newVersion(clock, request);
  const { precondition, idempotencyKey: once } = request;
  if (once === undefined && !hasPrecondition(precondition)) {
    return { preset: await presets.createVersion(version), isReplay: false };
  }
  const changed = await presets.change(
    version,
    version.author,
    (current) => {
      assertPrecondition(current, precondition);
      return addTo(current, version);
    },
    once && { ...once, at: version.createdAt, expiredBefore: earlier(version.createdAt, rememberedMs) },
  );
  if (changed === undefined) throw new Error('a version was added to no preset');
  return changed;
}

/** What `createVersion` would answer, without doing it. The ids in it mean nothing. */
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
  const [designatedVersion = storedVersion(version)] = versions;
  return { ...next, designatedVersion };
}

/** Without a preset to be seen, there may be no workspace for it either. */
async function assertWorkspace(presets: PresetStore, workspace: WorkspaceAddress): Promise<void> {
  const nothing = { statuses: [], words: [] };
  if ((await presets.list(workspace, nothing, { offset: 0, limit: 1 })) === undefined)
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
  return addVersion(
    current ?? emptyPreset(version, presetId, author.userId, createdAt),
    storedVersion(version),
  );
}

/** Its number and its preset are for the rule to say. */
function storedVersion(version: NewVersion): PresetVersion {
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

export function assertVersionSize(configJson: string, systemPrompt: string | null): void {
  // A JavaScript character is at most three bytes of UTF-8, so most texts need no counting.
  if ((configJson.length + (systemPrompt?.length ?? 0)) * 3 <= versionBytesMax) return;
  const keptBytes = Buffer.byteLength(configJson) + Buffer.byteLength(systemPrompt ?? '');
  if (keptBytes <= versionBytesMax) return;
  throw new PresetdError(
    'too_large',
    `The config and system prompt to keep are ${keptBytes} bytes; a version holds at most ${versionBytesMax}.`,
  );
}
