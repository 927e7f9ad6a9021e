import type { Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';
import type { CapturedPreset, Dialect, Preset } from './preset.ts';
import { assertSlug } from './slug.ts';
import { assertStorable } from './storable-text.ts';
import type { PresetStore } from './storage.ts';

/** A config and a system prompt together: generous for any prompt, small enough to keep in memory by the thousand. */
export const keptBytesMax = 1_048_576;

export interface CreateVersion {
  readonly caller: Caller;
  readonly slug: string;
  /** From the query; without it, the workspace of the key. */
  readonly workspaceId: string | undefined;
  readonly dialect: Dialect;
  readonly captured: CapturedPreset;
}

/** Stores a captured request as the next version of a preset. Reads nothing before its one write. */
export function createVersion(presets: PresetStore, clock: Clock, request: CreateVersion): Promise<Preset> {
  const { caller, slug, dialect, captured } = request;
  const { organizationId, workspaceId } = writableWorkspace(caller, request.workspaceId);
  assertSlug(slug);
  const configJson = JSON.stringify(captured.config);
  assertStorable(captured, configJson);
  assertKeptSize(configJson, captured.systemPrompt);
  return presets.createVersion({
    organizationId,
    workspaceId,
    slug,
    presetId: newId(),
    versionId: newId(),
    creatorId: caller.ownerId,
    dialect,
    configJson,
    systemPrompt: captured.systemPrompt,
    createdAt: clock(),
  });
}

function writableWorkspace(
  caller: Caller,
  requested: string | undefined,
): { organizationId: string; workspaceId: string } {
  if (caller.readOnly) {
    throw new PresetdError(
      'forbidden',
      `The management key ${caller.label} is read-only; use one that may write.`,
    );
  }
  if (caller.organizationId === null) {
    throw new PresetdError(
      'not_found',
      'This management key is personal: it belongs to no organization and so has no workspace for presets.',
    );
  }
  const own = caller.workspaceId ?? caller.defaultWorkspaceId;
  const workspaceId = requested?.toLowerCase() ?? own;
  const reachable = caller.kind === 'management' || workspaceId === own;
  if (workspaceId === null || !reachable) throw unknownWorkspace(workspaceId);
  return { organizationId: caller.organizationId, workspaceId };
}

export function unknownWorkspace(workspaceId: string | null): PresetdError {
  return new PresetdError('not_found', `There is no workspace ${workspaceId} that this key can reach.`);
}

export function archivedPreset(slug: string): PresetdError {
  return new PresetdError(
    'conflict',
    `The preset "${slug}" is archived. Restore it before adding a version.`,
  );
}

function assertKeptSize(configJson: string, systemPrompt: string | null): void {
  // A JavaScript character is at most three bytes of UTF-8, so most texts need no counting.
  if ((configJson.length + (systemPrompt?.length ?? 0)) * 3 <= keptBytesMax) return;
  const keptBytes = Buffer.byteLength(configJson) + Buffer.byteLength(systemPrompt ?? '');
  if (keptBytes <= keptBytesMax) return;
  throw new PresetdError(
    'too_large',
    `The config and system prompt to keep are ${keptBytes} bytes; a version holds at most ${keptBytesMax}.`,
  );
}
