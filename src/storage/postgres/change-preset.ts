import { databaseUnavailable } from '../../core/errors.ts';
import { unknownWorkspace } from '../../core/organization/workspace-access.ts';
import type { ChangedPreset, PresetStore } from '../../core/presets/preset-storage.ts';
import { noCases } from '../case-rows.ts';
import { changedPreset, type DesignatedRow, type StateRow, toPreset, toState } from '../preset-rows.ts';
import { readCurrentCases } from './cases.ts';
import { assertAuthorized } from './change-organization.ts';
import { LostRace, type PostgresConnection, type Query, queryOf } from './connection.ts';
import { isNameTaken, isRetryable } from './errors.ts';
import { claimIdempotencyKey, saveResponse } from './idempotency-store.ts';
import { presetIdByName } from './preset-names.ts';
import { findPresetStatement, presetStateStatement } from './read-presets.ts';
import { statement } from './statement.ts';
import { storeChange } from './store-preset.ts';
import { workspaceExistsStatement } from './workspaces.ts';

/**
 * Attempts per change. One is lost only when another request takes the same name at that moment, or
 * to a deadlock.
 */
const attemptsMax = 5;

/**
 * Changes a preset in a transaction that locks its row before the rule reads it. The rule runs
 * again when an attempt is lost. A request whose idempotency key is known returns the stored
 * response without running the rule.
 */
export async function changePreset(
  connection: PostgresConnection,
  ...details: Parameters<PresetStore['change']>
): Promise<ChangedPreset | undefined> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    try {
      return await connection.transaction((client) => attemptChange(queryOf(client), ...details));
    } catch (error) {
      if (!(error instanceof LostRace || isRetryable(error) || isNameTaken(error))) throw error;
    }
  }
  throw databaseUnavailable(new LostRace());
}

async function attemptChange(
  query: Query,
  ...[address, actor, decide, idempotencyKey, caseNames]: Parameters<PresetStore['change']>
): Promise<ChangedPreset | undefined> {
  const { workspaceId, organizationId, slug } = address;
  const addressValues = [workspaceId, slug, organizationId];
  // A preset that is created after this statement is not locked; inserting it then fails, and the
  // change is retried.
  const [locked] = await query<{ id: string }>(lockPreset, [workspaceId, slug]);
  // Only now: the actor can lose access while this transaction waits for the lock.
  await assertAuthorized(query, actor);
  if ((await query(workspaceExistsStatement, [workspaceId, organizationId])).length === 0)
    throw unknownWorkspace(workspaceId);
  const replayed = idempotencyKey && (await claimIdempotencyKey(query, workspaceId, idempotencyKey));
  if (replayed !== undefined) return { preset: replayed, isReplay: true };
  const [current] = locked ? (await query<StateRow>(presetStateStatement, addressValues)).map(toState) : [];
  // While this transaction waited for the lock, the name was given to another preset or removed.
  if (current?.id !== locked?.id) throw new LostRace();
  const cases = current && caseNames ? await readCurrentCases(query, current.id, caseNames) : noCases;
  const change = decide(current, cases);
  if (change !== undefined) await storeChange(query, address, actor, current, change);
  // The change may have removed the name in the address.
  const found = [workspaceId, (change?.next ?? current ?? address).slug, organizationId];
  const preset =
    changedPreset(change) ?? (await query<DesignatedRow>(findPresetStatement, found)).map(toPreset)[0];
  if (idempotencyKey !== undefined) await saveResponse(query, workspaceId, idempotencyKey, preset);
  return preset && { preset, isReplay: false };
}

const lockPreset = statement('lock-preset', `SELECT id FROM presets WHERE id = ${presetIdByName} FOR UPDATE`);
