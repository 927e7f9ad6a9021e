import type { PoolClient, QueryResultRow } from 'pg';
import { databaseUnavailable } from '../../core/errors.ts';
import type { Preset, PresetAddress, PresetState, PresetVersion } from '../../core/preset.ts';
import type { PresetChange } from '../../core/preset-change.ts';
import type { Author } from '../../core/preset-event.ts';
import type { ChangedPreset, Once } from '../../core/storage.ts';
import { wordsOf } from '../../core/words.ts';
import { unknownWorkspace } from '../../core/workspace-access.ts';
import { assertSameRequest, forgottenPerAnswer, recalledAnswer, rememberedAnswer } from '../answered-once.ts';
import {
  type DesignatedRow,
  type StateRow,
  toPreset,
  toState,
  toVersion,
  type VersionRow,
} from '../preset-rows.ts';
import type { PostgresConnection, Statement } from './connection.ts';
import { isRetryable } from './errors.ts';
import { findPresetStatement, presetStateStatement, versionsStatement } from './read-presets.ts';

/** Each is lost only to somebody who made a preset of the same slug just then, or to a deadlock with a stranger. */
const attemptsMax = 5;

/** A transaction holds the row of the preset from before the rule sees it until the change is durable. */
export async function changePreset(
  connection: PostgresConnection,
  address: PresetAddress,
  author: Author,
  decide: (current: PresetState | undefined) => PresetChange | undefined,
  once: Once | undefined,
): Promise<ChangedPreset | undefined> {
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    try {
      return await connection.transaction((client) =>
        attemptChange(transactionOf(client), address, author, decide, once),
      );
    } catch (error) {
      if (!(error instanceof LostRace || isRetryable(error))) throw error;
    }
  }
  throw databaseUnavailable(new LostRace());
}

class LostRace extends Error {
  override readonly name = 'LostRace';
}

type Query = <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

function transactionOf(client: PoolClient): Query {
  return async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) =>
    (await client.query<Row>({ ...statement, values: [...values] })).rows;
}

async function attemptChange(
  query: Query,
  address: PresetAddress,
  author: Author,
  decide: (current: PresetState | undefined) => PresetChange | undefined,
  once: Once | undefined,
): Promise<ChangedPreset | undefined> {
  const { workspaceId, organizationId, slug } = address;
  const place = [workspaceId, slug, organizationId];
  if ((await query(findWorkspace, [workspaceId, organizationId])).length === 0)
    throw unknownWorkspace(workspaceId);
  const first = once && (await claimAnswer(query, workspaceId, once));
  if (first !== undefined) return { preset: first, isReplay: true };
  // One that appears after this is not held: adding it then fails, and is tried again.
  const isHeld = (await query(lockPreset, [workspaceId, slug])).length > 0;
  const [current] = isHeld ? (await query<StateRow>(presetStateStatement, place)).map(toState) : [];
  const change = decide(current);
  if (change !== undefined) await store(query, address, author, current, change);
  const [preset] = (await query<DesignatedRow>(findPresetStatement, place)).map(toPreset);
  if (once !== undefined) await keepAnswer(query, workspaceId, once, preset);
  return preset && { preset, isReplay: false };
}

async function store(
  query: Query,
  address: PresetAddress,
  author: Author,
  current: PresetState | undefined,
  { at, next, versions, events }: PresetChange,
): Promise<void> {
  await storeRow(query, next, current === undefined);
  if (versions.length > 0) await query(insertVersions, columnsOf(versions));
  await storeLabels(query, current, next);
  if (current?.name !== next.name || current.description !== next.description) {
    const words = wordsOf(next.slug, next.name, next.description);
    await query(removeWords, [next.id, words]);
    await query(insertWords, [next.id, next.workspaceId, words]);
  }
  const { organizationId, workspaceId } = address;
  const { userId, keyLabel } = author;
  const column = <T>(select: (event: (typeof events)[number]) => T) => events.map(select);
  await query(insertEvents, [
    ...[organizationId, workspaceId, next.id, current?.revision ?? 0, userId, keyLabel, at],
    column((event) => event.id),
    column((event) => event.kind),
    column((event) => event.before && JSON.stringify(event.before)),
    column((event) => event.after && JSON.stringify(event.after)),
  ]);
}

async function storeRow(query: Query, next: PresetState, isNew: boolean): Promise<void> {
  const { id, workspaceId, slug, name, description, status, statusUpdatedAt, creatorUserId } = next;
  const { createdAt, updatedAt, latestVersion, designatedNumber, revision } = next;
  const state = [name, description, status, statusUpdatedAt, latestVersion, designatedNumber, revision];
  const values = [id, ...state, createdAt, updatedAt];
  if (!isNew) await query(updatePreset, values);
  else if ((await query(insertPreset, [...values, workspaceId, slug, creatorUserId])).length === 0)
    throw new LostRace();
}

async function storeLabels(query: Query, current: PresetState | undefined, next: PresetState): Promise<void> {
  const gone = [...(current?.labels.keys() ?? [])].filter((label) => !next.labels.has(label));
  if (gone.length > 0) await query(removeLabels, [next.id, gone]);
  const moved = [...next.labels].filter(
    ([label, { version }]) => current?.labels.get(label)?.version !== version,
  );
  if (moved.length === 0) return;
  await query(setLabels, [
    next.id,
    moved.map(([label]) => label),
    moved.map(([, { version }]) => version),
    moved.map(([, { updatedAt }]) => updatedAt),
  ]);
}

/** Takes the key for this transaction. The answer that was given for it before, when there is one. */
async function claimAnswer(query: Query, workspaceId: string, once: Once): Promise<Preset | undefined> {
  // Somebody with the same key at the same time waits here for the other to finish.
  const claim = [workspaceId, once.key, once.requestHash, once.at, once.forgottenBefore];
  if ((await query(claimKey, claim)).length > 0) return undefined;
  const [row] = await query<AnswerRow>(findAnswer, [workspaceId, once.key]);
  if (row === undefined) throw new LostRace();
  assertSameRequest(once, row.request_hash);
  const range = [row.preset_id, row.version - 1, row.version];
  const [version] = (await query<VersionRow>(versionsStatement, range)).map(toVersion);
  if (version === undefined) throw new Error('an answer refers to a version that is not there');
  return recalledAnswer(row.answer, version);
}

/** Comes after the claim: who waits for a key must not hold others, or two could wait for each other. */
async function keepAnswer(
  query: Query,
  workspaceId: string,
  once: Once,
  preset: Preset | undefined,
): Promise<void> {
  await query(forgetAnswers, [once.forgottenBefore]);
  if (preset === undefined) {
    await query(releaseKey, [workspaceId, once.key]);
    return;
  }
  const { id, designatedVersion } = preset;
  const answer = [rememberedAnswer(preset), id, designatedVersion.version];
  await query(rememberAnswer, [workspaceId, once.key, ...answer]);
}

interface AnswerRow {
  readonly request_hash: string;
  readonly answer: string;
  readonly preset_id: string;
  readonly version: number;
}

function columnsOf(versions: readonly PresetVersion[]): readonly unknown[] {
  const column = <T>(select: (version: PresetVersion) => T) => versions.map(select);
  return [
    column((version) => version.id),
    column((version) => version.presetId),
    column((version) => version.version),
    column((version) => version.dialect),
    column((version) => version.configJson),
    column((version) => version.systemPrompt),
    column((version) => version.creatorId),
    column((version) => version.createdAt),
  ];
}

const findWorkspace = statement(
  'find-workspace-of',
  'SELECT 1 FROM workspaces WHERE id = $1 AND organization_id = $2',
);

const lockPreset = statement(
  'lock-preset',
  'SELECT 1 FROM presets WHERE workspace_id = $1 AND slug = $2 FOR UPDATE',
);

const insertPreset = statement(
  'insert-preset',
  `INSERT INTO presets (
     id, name, description, status, status_updated_at, latest_version, designated_version, revision, created_at,
     updated_at, workspace_id, slug, creator_user_id
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   ON CONFLICT (workspace_id, slug) DO NOTHING RETURNING id`,
);

const updatePreset = statement(
  'update-preset',
  `UPDATE presets SET name = $2, description = $3, status = $4, status_updated_at = $5, latest_version = $6,
     designated_version = $7, revision = $8, created_at = $9, updated_at = $10
   WHERE id = $1`,
);

const insertVersions = statement(
  'insert-versions',
  `INSERT INTO preset_versions (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)
   SELECT id, preset_id, version, dialect, config::json, system_prompt, creator_id, created_at FROM unnest(
     $1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[]
   ) AS v (id, preset_id, version, dialect, config, system_prompt, creator_id, created_at)`,
);

const removeLabels = statement(
  'remove-labels',
  'DELETE FROM preset_labels WHERE preset_id = $1 AND label = ANY ($2::text[])',
);

const setLabels = statement(
  'set-labels',
  `INSERT INTO preset_labels (preset_id, label, version, updated_at)
   SELECT $1, label, version, updated_at
   FROM unnest($2::text[], $3::int[], $4::timestamptz[]) AS l (label, version, updated_at)
   ON CONFLICT (preset_id, label) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at`,
);

const removeWords = statement(
  'remove-words',
  'DELETE FROM preset_words WHERE preset_id = $1 AND word <> ALL ($2::text[])',
);

const insertWords = statement(
  'insert-words',
  `INSERT INTO preset_words (preset_id, word, workspace_id) SELECT $1, unnest($3::text[]), $2
   ON CONFLICT (preset_id, word) DO NOTHING`,
);

const insertEvents = statement(
  'insert-events',
  `INSERT INTO audit_events (
     id, organization_id, workspace_id, preset_id, number, kind, actor_id, key_label, before, after, created_at
   )
   SELECT e.id, $1, $2, $3, $4::int + e.ordinal, e.kind, $5, $6, e.before::json, e.after::json, $7
   FROM unnest($8::uuid[], $9::text[], $10::text[], $11::text[]) WITH ORDINALITY
     AS e (id, kind, before, after, ordinal)`,
);

export const forgetAnswers = statement(
  'forget-answers',
  `DELETE FROM idempotency_keys WHERE (workspace_id, key) IN (
     SELECT workspace_id, key FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at
     LIMIT ${forgottenPerAnswer} FOR UPDATE SKIP LOCKED
   )`,
);

const claimKey = statement(
  'claim-idempotency-key',
  `INSERT INTO idempotency_keys AS k (workspace_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (workspace_id, key) DO UPDATE SET request_hash = excluded.request_hash, created_at = excluded.created_at
   WHERE k.created_at < $5
   RETURNING key`,
);

const releaseKey = statement(
  'release-idempotency-key',
  'DELETE FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
);

const findAnswer = statement(
  'find-answer',
  'SELECT request_hash, answer, preset_id, version FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
);

const rememberAnswer = statement(
  'remember-answer',
  'UPDATE idempotency_keys SET answer = $3, preset_id = $4, version = $5 WHERE workspace_id = $1 AND key = $2',
);

function statement(name: string, text: string): Statement {
  return { name, text };
}
