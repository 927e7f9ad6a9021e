import { unknownWorkspace } from '../core/organization/workspace-access.ts';
import type { Preset } from '../core/presets/preset.ts';
import type { PresetChange } from '../core/presets/preset-change.ts';
import type { ChangedPreset, PresetStore } from '../core/presets/preset-storage.ts';
import { noCases, readCurrentCases } from './cases.ts';
import { assertAuthorized } from './change-organization.ts';
import { type Database, LostRace } from './database.ts';
import { claimIdempotencyKey, saveResponse } from './idempotency.ts';
import { findPreset, presetIdByName, presetState } from './read-presets.ts';
import { statement } from './statement.ts';
import { storeChange } from './store-preset.ts';
import { workspaceExistsStatement } from './workspaces.ts';

/**
 * Changes a preset in a transaction that locks its row before the rule reads it. The rule runs
 * again when an attempt is lost. A request whose idempotency key is known returns the stored
 * response without running the rule.
 */
export function changePreset(
  database: Database,
  ...[address, actor, decide, idempotencyKey, caseNames]: Parameters<PresetStore['change']>
): Promise<ChangedPreset | undefined> {
  const { workspaceId, organizationId, slug } = address;
  return database.transaction(async (query) => {
    // A preset that is created after this statement is not locked; inserting it then fails, and the
    // change is retried.
    const [locked] = await query(lockPreset, [workspaceId, slug]);
    // Only now: the actor can lose access while this transaction waits for the lock.
    await assertAuthorized(query, actor);
    if ((await query(workspaceExistsStatement, [workspaceId, organizationId])).length === 0)
      throw unknownWorkspace(workspaceId);
    const replayed = idempotencyKey && (await claimIdempotencyKey(query, workspaceId, idempotencyKey));
    if (replayed !== undefined) return { preset: replayed, isReplay: true };
    const current = locked && (await presetState(query, address));
    // While this transaction waited for the lock, the name was given to another preset or removed.
    if (current?.id !== locked?.id) throw new LostRace();
    const cases = current && caseNames ? await readCurrentCases(query, current.id, caseNames) : noCases;
    const change = decide(current, cases);
    if (change !== undefined) await storeChange(query, address, actor, current, change);
    // The change may have removed the name in the address.
    const { slug: slugAfter } = change?.next ?? current ?? address;
    const preset = changedPreset(change) ?? (await findPreset(query, { ...address, slug: slugAfter }));
    if (idempotencyKey !== undefined) await saveResponse(query, workspaceId, idempotencyKey, preset);
    return preset && { preset, isReplay: false };
  });
}

/**
 * The preset after a change that designated one of the versions it added. Undefined after any other
 * change: the designated version then has to be read.
 */
function changedPreset(change: PresetChange | undefined): Preset | undefined {
  if (change === undefined) return undefined;
  const { designatedNumber, labels: _labels, aliases: _aliases, tags: _tags, ...record } = change.next;
  const designatedVersion = change.versions.find(({ version }) => version === designatedNumber);
  return designatedVersion && { ...record, designatedVersion };
}

const lockPreset = statement<{ readonly id: string }>(
  'lock-preset',
  ({ forUpdate }) => `SELECT id FROM presets WHERE id = ${presetIdByName} ${forUpdate}`,
);
