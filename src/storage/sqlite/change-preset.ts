import type { DatabaseSync } from 'node:sqlite';
import type { PresetAddress, PresetState } from '../../core/preset.ts';
import type { PresetChange } from '../../core/preset-change.ts';
import type { Author } from '../../core/preset-event.ts';
import type { ChangedPreset, IdempotencyKey } from '../../core/storage.ts';
import { unknownWorkspace } from '../../core/workspace-access.ts';
import { changedPreset } from '../preset-rows.ts';
import { findWorkspaceSql } from './find-workspace.ts';
import { prepareAnswers } from './idempotency-store.ts';
import type { PresetReads } from './read-presets.ts';
import { prepareStore } from './store-preset.ts';

type Change = (
  address: PresetAddress,
  author: Author,
  decide: (current: PresetState | undefined) => PresetChange | undefined,
  once?: IdempotencyKey,
) => ChangedPreset | undefined;

/** Changes a preset inside a transaction that is already open, in which nobody else can. */
export function prepareChange(database: DatabaseSync, reads: PresetReads): Change {
  const findWorkspace = database.prepare(findWorkspaceSql);
  const store = prepareStore(database);
  const answers = prepareAnswers(database, reads);

  return (address, author, decide, once) => {
    const { workspaceId, organizationId } = address;
    if (findWorkspace.get(workspaceId, organizationId) === undefined) throw unknownWorkspace(workspaceId);
    const first = once && answers.recall(workspaceId, once);
    if (first !== undefined) return { preset: first, isReplay: true };
    const current = reads.state(address);
    const change = decide(current);
    if (change !== undefined) store(address, author, current, change);
    const preset = changedPreset(change) ?? reads.find(address);
    if (preset === undefined) return undefined;
    if (once !== undefined) answers.remember(workspaceId, once, preset);
    return { preset, isReplay: false };
  };
}
