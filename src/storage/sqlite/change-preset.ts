import type { DatabaseSync } from 'node:sqlite';
import { unknownWorkspace } from '../../core/organization/workspace-access.ts';
import type { ChangedPreset, PresetStore } from '../../core/presets/preset-storage.ts';
import { noCases } from '../case-rows.ts';
import { changedPreset } from '../preset-rows.ts';
import { prepareCurrentCases } from './cases.ts';
import { prepareAssertAuthorized } from './change-organization.ts';
import { prepareIdempotencyStore } from './idempotency-store.ts';
import type { PresetReads } from './read-presets.ts';
import { prepareStoreChange } from './store-preset.ts';
import { workspaceExistsSql } from './workspaces.ts';

type ChangePreset = (...details: Parameters<PresetStore['change']>) => ChangedPreset | undefined;

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
  const currentCases = prepareCurrentCases(database);

  return (address, actor, decide, idempotencyKey, caseNames) => {
    assertAuthorized(actor);
    const { workspaceId, organizationId } = address;
    if (workspaceExists.get(workspaceId, organizationId) === undefined) throw unknownWorkspace(workspaceId);
    const replayed = idempotencyKey && idempotencyStore.find(workspaceId, idempotencyKey);
    if (replayed !== undefined) return { preset: replayed, isReplay: true };
    const current = reads.state(address);
    const cases = current && caseNames ? currentCases(current.id, caseNames) : noCases;
    const change = decide(current, cases);
    if (change !== undefined) store(address, actor, current, change);
    // The change may have removed the name in the address.
    const { slug } = change?.next ?? current ?? address;
    const preset = changedPreset(change) ?? reads.find({ ...address, slug });
    if (preset === undefined) return undefined;
    if (idempotencyKey !== undefined) idempotencyStore.save(workspaceId, idempotencyKey, preset);
    return { preset, isReplay: false };
  };
}
