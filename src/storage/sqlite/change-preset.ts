import type { DatabaseSync } from 'node:sqlite';
import { unknownWorkspace } from '../../core/organization/workspace-access.ts';
import type { PresetAddress, PresetState } from '../../core/presets/preset.ts';
import type { PresetChange } from '../../core/presets/preset-change.ts';
import type { Actor, ChangedPreset, IdempotencyKey } from '../../core/storage.ts';
import { changedPreset } from '../preset-rows.ts';
import { prepareAssertAuthorized } from './change-organization.ts';
import { prepareIdempotencyStore } from './idempotency-store.ts';
import type { PresetReads } from './read-presets.ts';
import { prepareStoreChange } from './store-preset.ts';
import { workspaceExistsSql } from './workspaces.ts';

type ChangePreset = (
  address: PresetAddress,
  actor: Actor,
  decide: (current: PresetState | undefined) => PresetChange | undefined,
  idempotencyKey?: IdempotencyKey,
) => ChangedPreset | undefined;

/**
 * Prepares the statements to change a preset inside an open transaction. The write queue runs one
 * transaction at a time, so the rule decides on the current state. A request whose idempotency key
 * is known returns the stored response without running the rule.
 */
export function prepareChangePreset(database: DatabaseSync, reads: PresetReads): ChangePreset {
  const assertAuthorized = prepareAssertAuthorized(database);
  const workspaceExists = database.prepare(workspaceExistsSql);
  const store = prepareStoreChange(database);
  const idempotencyStore = prepareIdempotencyStore(database, reads);

  return (address, actor, decide, idempotencyKey) => {
    assertAuthorized(actor);
    const { workspaceId, organizationId } = address;
    if (workspaceExists.get(workspaceId, organizationId) === undefined) throw unknownWorkspace(workspaceId);
    const replayed = idempotencyKey && idempotencyStore.find(workspaceId, idempotencyKey);
    if (replayed !== undefined) return { preset: replayed, isReplay: true };
    const current = reads.state(address);
    const change = decide(current);
    if (change !== undefined) store(address, actor, current, change);
    // The change may have removed the name in the address.
    const { slug } = change?.next ?? current ?? address;
    const preset = changedPreset(change) ?? reads.find({ ...address, slug });
    if (preset === undefined) return undefined;
    if (idempotencyKey !== undefined) idempotencyStore.save(workspaceId, idempotencyKey, preset);
    return { preset, isReplay: false };
  };
}
