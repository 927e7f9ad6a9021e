import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditShape } from '../../src/storage/audit-list.ts';
import { migrateStorage } from '../../src/storage/open.ts';
import { sessionSettings } from '../../src/storage/postgres/database.ts';
import { statements } from '../../src/storage/statement.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { storageOptions } from '../support/storage-options.ts';

// A statement costs the same with a million rows as with a thousand if it reads by index, in the
// order of the index. These tests plan every statement, and look closer at those on a hot path.

/** Statements that read a table from its start, with the table and why that is all right. */
const wholeTables: Readonly<Record<string, readonly [table: string, reason: string]>> = {
  'oldest-stored-call': ['calls', 'stops at the first row, in the order of the key'],
  'newest-stored-call': ['calls', 'stops at the first row, in the order of the key'],
  'last-call-group': ['call_groups', 'stops at the first row, in the order of the key'],
  ping: ['schema_migrations', 'has one row for each migration'],
  'any-organization': ['organizations', 'stops at the first row'],
  'first-organization': ['organizations', 'has one row: only an empty database is given an organization'],
  'list-unindexed-members': ['unindexed_members', 'takes a batch from the start, in the order of the key'],
  'next-unindexed-organization': ['unindexed_organizations', 'stops at the first row'],
  'preset-backfill': ['preset_backfill', 'has one row at most'],
  'advance-preset-backfill': ['preset_backfill', 'has one row at most'],
  'finish-preset-backfill': ['preset_backfill', 'has one row at most'],
  'number-content-workspaces': ['content_workspaces', 'reads the highest number, from the end of the index'],
  'store-preset-contents': ['preset_contents', 'reads the highest number, from the end of the index'],
};

/** The tables that a statement reads without need. */
const unexpected = (name: string, tables: readonly string[]) =>
  tables.filter((table) => table !== wholeTables[name]?.[0]).map((table) => `${name} reads all of ${table}`);

/** Statements that sort, by what they sort: never more rows than a request names or a page has. */
const sorting: Readonly<Record<string, readonly string[]>> = {
  'at most a page of each range': [
    'list-audit-by-kinds',
    'list-audit-by-workspace',
    'list-audit-by-workspace-and-actor',
    'list-audit-by-preset',
    'list-audit-by-preset-and-actor',
  ],
  'a page': ['list-keys', 'list-scim-users'],
  'the words of a search or of a batch': ['count-preset_words', 'count-member_words', 'add-content-words'],
  'what contains a rare word': ['count-found-presets', 'search-presets', 'look-up-members'],
  'what has an id, an address or a label': [
    'get-key',
    'find-user',
    'find-member',
    'find-workspace',
    'account-by-email',
    'find-scim-user-by-id',
    'find-scim-user-by-name',
    'find-scim-user-by-external-id',
    'find-scim-user-by-email',
  ],
  'what a list names': [
    'preset-summaries',
    'get-members',
    'people',
    'read-cases',
    'named-workspaces',
    'find-workspace-candidates',
    'scim-access',
    'scim-group-members-among',
  ],
  'the keys of a person': ['list-keys-of-owner'],
  'the only row': ['first-organization'],
};
const maySort = Object.values(sorting).flat();

it('there is no exception for a statement that does not exist', () => {
  const exceptions = [...Object.keys(wholeTables), ...maySort];
  expect(exceptions.filter((name) => !statements.has(name))).toEqual([]);
});

describe.runIf(engines.includes('sqlite'))('query plans on SQLite', () => {
  let database: TestDatabase;
  let connection: DatabaseSync;
  beforeAll(async () => {
    database = await createDatabase('sqlite');
    await migrateStorage(storageOptions(database));
    connection = new DatabaseSync(database.url.slice('sqlite:'.length));
  });
  afterAll(async () => {
    connection.close();
    await database.drop();
  });

  const planOf = (name: string) => {
    const { text } = statements.get(name) ?? expect.fail(`no statement is named ${name}`);
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${text.sqlite}`).all();
    return plan.map((row) => String(row.detail));
  };
  const byIndex = /^SEARCH .* USING ((COVERING )?INDEX|(INTEGER )?PRIMARY KEY)/;

  /** The tables that a plan reads without a condition on an index. */
  const wholeTablesOf = (details: readonly string[]) =>
    details.flatMap((detail) => {
      if (detail.startsWith('SEARCH')) {
        // Without more words, it is a single value from the end of a table.
        return byIndex.test(detail) || /^SEARCH \w+$/.test(detail) ? [] : [detail];
      }
      const scanned = /^SCAN (?!CONSTANT ROW$|\S+ VIRTUAL TABLE)(\S+)/.exec(detail)?.[1];
      const isDerived =
        details.includes(`CO-ROUTINE ${scanned}`) ||
        details.includes(`MATERIALIZE ${scanned}`) ||
        // The rows of the step before.
        (scanned === 'p' && details.includes('RECURSIVE STEP'));
      return scanned === undefined || isDerived ? [] : [scanned];
    });

  it('SQLite reads no whole table, whatever the statement', () => {
    const found = [...statements.values()].flatMap(({ name, text }) => {
      // An insert looks up who refers to the new row only if a deferred constraint is violated.
      connection.exec(`PRAGMA foreign_keys = ${text.sqlite.trimStart().startsWith('INSERT') ? 'OFF' : 'ON'}`);
      return unexpected(name, wholeTablesOf(planOf(name)));
    });
    connection.exec('PRAGMA foreign_keys = ON');
    expect(found).toEqual([]);
  });

  it('SQLite sorts no rows that it could read in index order, whatever the statement', () => {
    // The few tags, labels and aliases of a preset are sorted for each row.
    const sorts = /^USE TEMP B-TREE FOR (?!json_group_array).*ORDER BY$/;
    const found = [...statements.keys()].filter((name) => planOf(name).some((detail) => sorts.test(detail)));
    expect(found.filter((name) => !maySort.includes(name))).toEqual([]);
  });

  it.each([
    ['a page of members', 'list-members'],
    ['the end of a chunk of members', 'member-chunk-end'],
    ['a chunk of members with their names', 'member-chunk'],
    ['the active keys of a workspace', 'count-active-keys'],
    ['the count of presets', 'count-presets'],
    ['a page of versions', 'preset-versions'],
    ['a page of versions with their creators', 'authored-preset-versions'],
    ['a case', 'find-case'],
    ['a case at an event', 'find-case-at'],
    ['a page of events', 'preset-events'],
  ])('SQLite finds %s by index alone', (_, name) => {
    // Scans of limited subqueries are bounded.
    const details = planOf(name).filter(
      (detail) => !/^((CO-ROUTINE|SCAN) (m|page|active)|SCALAR SUBQUERY 1)$/.test(detail),
    );
    for (const detail of details) expect(detail).toMatch(byIndex);
  });

  // Only the few tags, labels and aliases of a preset are sorted.
  const labels = /^CORRELATED SCALAR SUBQUERY|^USE TEMP B-TREE FOR json_group_array\(ORDER BY\)$/;

  it.each([
    ['a preset', 'find-preset'],
    ['a preset that has a name', 'preset-by-name'],
    ['the state of a preset', 'preset-state'],
  ])('SQLite finds %s by the index of its slug or aliases', (_, name) => {
    const details = planOf(name).filter((detail) => !labels.test(detail));
    expect(details).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^SEARCH presets USING INDEX \w+ \(workspace_id=\? AND slug=\?\)$/),
        'SEARCH preset_aliases USING PRIMARY KEY (workspace_id=? AND alias=?)',
        expect.stringMatching(/^SEARCH (p|presets) USING INDEX \w+ \(id=\?\)$/),
      ]),
    );
    for (const detail of details) expect(detail).toMatch(/^SEARCH .* USING|^(SCALAR|REUSE) SUBQUERY \d+$/);
  });

  it.each([['presets by slug', 'list-presets-by-slug']])(
    'SQLite finds %s by index, with their labels and aliases',
    (_, name) => {
      const details = planOf(name);
      expect(details).toContain('SEARCH a USING COVERING INDEX preset_aliases_by_preset (preset_id=?)');
      for (const detail of details) if (!labels.test(detail)) expect(detail).toMatch(byIndex);
    },
  );

  it.each([
    ['a page of presets', 'list-presets'],
    ['the end of a chunk of presets', 'preset-chunk-end'],
    ['a page of common words', 'walk-presets'],
    ['a page of common words of names', 'walk-preset-names'],
  ])('SQLite reads %s in index order, merging statuses if there are several', (_, name) => {
    for (const [shape, merges] of [['one', 0] as const, ['three', 2] as const]) {
      const details = planOf(`${name}-${shape}`).filter((detail) => !labels.test(detail));
      expect(details.filter((detail) => detail === 'MERGE (UNION ALL)')).toHaveLength(merges);
      const fromIndex = /presets_by_update \(workspace_id=\? AND status=\? AND \(updated_at,id\)<\(\?,\?\)\)/;
      expect(details.filter((detail) => fromIndex.test(detail))).toHaveLength(merges + 1);
      for (const detail of details)
        expect(detail).toMatch(
          /^((CO-ROUTINE|SCAN) (page|p)|SCAN json_each VIRTUAL TABLE .*|(MERGE \(|LEFT-MOST )?(UNION ALL|SUBQUERY)\)?|COMPOUND QUERY|LEFT|RIGHT|SEARCH .*)$/,
        );
      for (const detail of details.filter((each) => each.startsWith('SEARCH')))
        expect(detail).toMatch(byIndex);
    }
  });

  it('SQLite reads found presets by id, in the order of the ids', () => {
    const [first, ...others] = planOf('preset-summaries').filter((detail) => !labels.test(detail));
    expect(first).toMatch(/^SCAN json_each VIRTUAL TABLE/);
    for (const detail of others.filter((each) => each !== 'USE TEMP B-TREE FOR ORDER BY'))
      expect(detail).toMatch(byIndex);
  });

  it('SQLite reads only the configs and last events of a page, by index', () => {
    const details = planOf('preset-overviews');
    expect(details).toEqual([
      expect.stringMatching(/^SCAN json_each VIRTUAL TABLE/),
      expect.stringMatching(/^SEARCH v USING INDEX \w+ \(preset_id=\? AND version=\?\)$/),
      'SEARCH e USING INDEX audit_events_by_preset (preset_id=? AND number=?)',
      expect.stringMatching(/^SEARCH u USING INDEX \w+ \(id=\?\)/),
      expect.stringMatching(/^SEARCH c USING PRIMARY KEY \(preset_id=\?\)/),
      expect.stringMatching(/^CORRELATED SCALAR SUBQUERY/),
      expect.stringMatching(/^SCAN listed VIRTUAL TABLE/),
    ]);
  });

  it.each([
    ['the hits of a word', 'count-preset_words'],
    ['the number of presets with a word', 'count-found-presets'],
    ['the presets with a word', 'search-presets'],
  ])('SQLite finds %s without reading other presets', (_, name) => {
    const details = planOf(name);
    expect(details).toContain(
      'SEARCH preset_words USING COVERING INDEX preset_words_by_word (workspace_id=? AND word>? AND word<?)',
    );
    expect(details.join('\n')).toMatch(
      /SEARCH (content_words|w) USING PRIMARY KEY \(workspace=\? AND word>\? AND word<\?\)/,
    );
    for (const detail of details.filter((each) => each.startsWith('SCAN')))
      expect(detail).toMatch(/^SCAN (hits?|found|page|counted)$|^SCAN json_each VIRTUAL TABLE/);
    for (const detail of details.filter((each) => each.startsWith('SEARCH'))) expect(detail).toMatch(byIndex);
  });

  it('SQLite reads whether a word is common by index alone', () => {
    expect(planOf('count-preset_words')).toContain(
      'SEARCH common_words USING PRIMARY KEY (workspace=? AND word>? AND word<?)',
    );
  });

  it.each([
    ['presets to index', 'list-unindexed-presets'],
    ['presets by id', 'presets-after'],
    ['the contents of a preset', 'preset-contents'],
    ['words to remove', 'remove-content-words'],
    ['words that have become common', 'find-common-content-words'],
  ])('the indexer on SQLite finds %s by index, without sorting', (_, name) => {
    const others =
      /^((CO-ROUTINE|SCAN) counted|SCAN json_each VIRTUAL TABLE .*|CORRELATED .*|LIST SUBQUERY \d+|CREATE BLOOM FILTER)$/;
    for (const detail of planOf(name).filter((each) => !labels.test(each)))
      expect(detail).toMatch(detail.startsWith('SEARCH') ? byIndex : others);
  });

  it('the indexer on SQLite sorts only the words to add, and reads which of them are common', () => {
    expect(planOf('add-content-words')).toEqual([
      expect.stringMatching(/^SCAN json_each VIRTUAL TABLE/),
      'SEARCH c USING PRIMARY KEY (workspace=? AND word=?) LEFT-JOIN',
      'USE TEMP B-TREE FOR ORDER BY',
    ]);
  });

  it('the indexer on SQLite takes members to index in the order of their key', () => {
    expect(planOf('list-unindexed-members')).toEqual(['SCAN unindexed_members']);
    expect(planOf('members-after')).toEqual([expect.stringMatching(/^SEARCH memberships USING PRIMARY KEY/)]);
  });

  it('SQLite counts the members with a word by index alone', () => {
    expect(planOf('count-member_words')).toContain(
      'SEARCH member_words USING COVERING INDEX member_words_by_word (organization_id=? AND word>? AND word<?)',
    );
  });

  it.each([
    ['looks up members by a rare word', 'look-up-members', 'hit', 'member_words_by_word'],
    ['walks over members with common words', 'walk-members', 'm', 'memberships_by_joining'],
    ['reads members by id', 'get-members', 'page', 'PRIMARY KEY'],
    ['checks whether members are indexed', 'are-members-indexed', 'o', 'PRIMARY KEY'],
  ])('SQLite %s without reading others', (_, name, scanned, index) => {
    const details = planOf(name);
    expect(details.join('\n')).toContain(index);
    for (const detail of details.filter((each) => each.startsWith('SEARCH w ')))
      expect(detail).toBe(
        'SEARCH w USING PRIMARY KEY (user_id=? AND organization_id=? AND word>? AND word<?)',
      );
    for (const detail of details.filter((each) => each.startsWith('SCAN')))
      expect(detail).toMatch(new RegExp(`^SCAN (${scanned}|json_each VIRTUAL TABLE .*)$`));
    for (const detail of details.filter((each) => each.startsWith('SEARCH'))) expect(detail).toMatch(byIndex);
  });

  /** Every step of the plan must be a search by index or match `others`. */
  const expectByIndex = (name: string, others: RegExp) => {
    const details = planOf(name);
    const searches = details.filter((detail) => detail.startsWith('SEARCH'));
    expect(searches.length).toBeGreaterThan(1);
    for (const detail of searches) expect(detail).toMatch(byIndex);
    for (const detail of details) if (!searches.includes(detail)) expect(detail).toMatch(others);
    return details;
  };

  it('SQLite finds a key by the index of its current or rotated secrets', () => {
    const details = expectByIndex(
      'find-key',
      // Two rows at most, one from each index.
      /^(CO-ROUTINE s|SCAN s|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|CORRELATED SCALAR SUBQUERY \d+)$/,
    );
    expect(details).toEqual(
      expect.arrayContaining([
        'SEARCH api_keys USING INDEX sqlite_autoindex_api_keys_2 (secret_hash=?)',
        'SEARCH retired_secrets USING PRIMARY KEY (secret_hash=?)',
        'SEARCH k USING INDEX sqlite_autoindex_api_keys_1 (id=?)',
      ]),
    );
  });

  it('SQLite finds a key by id, label or secret, sorting only the keys of one label', () => {
    const details = expectByIndex(
      'get-key',
      /^(CO-ROUTINE found|SCAN found|MERGE \(UNION\)|LEFT|RIGHT|CORRELATED SCALAR SUBQUERY \d+|USE TEMP B-TREE FOR ORDER BY)$/,
    );
    expect(details.filter((detail) => detail.startsWith('USE'))).toHaveLength(1);
    expect(details).toContain('SEARCH api_keys USING INDEX api_keys_by_label (label=?)');
  });

  it('SQLite merges a page of keys from the index', () => {
    const details = expectByIndex(
      'list-keys',
      /^(CO-ROUTINE page|SCAN page|MERGE \(UNION ALL\)|LEFT|RIGHT|(CORRELATED )?SCALAR SUBQUERY \d+)$/,
    );
    expect(details.filter((detail) => detail.includes('INDEX api_keys_by_workspace'))).toHaveLength(2);
  });

  it.each([
    ['workspaces', 'list-workspaces', 'INDEX workspaces_by_creation'],
    ['members of a workspace', 'workspace-members', 'INDEX workspace_members_by_joining'],
    ['members of the default workspace', 'default-workspace-members', 'INDEX memberships_by_joining'],
  ])('SQLite reads a page of %s in index order', (_, name, index) => {
    const details = expectByIndex(name, /^(CO-ROUTINE|SCAN) (page|w)$/);
    expect(details.filter((detail) => detail.includes(index))).toHaveLength(1);
  });

  const inTime = '(created_at,id)>(?,?) AND (created_at,id)<(?,?))';
  const auditRanges: Readonly<Record<AuditShape, string>> = {
    all: `INDEX sqlite_autoindex_audit_events_1 (organization_id=? AND ${inTime}`,
    actor: `INDEX audit_events_by_actor (organization_id=? AND actor_id=? AND ${inTime}`,
    'actor and kinds': `INDEX audit_events_by_actor (organization_id=? AND actor_id=? AND ${inTime}`,
    kinds: `COVERING INDEX audit_events_by_kind (organization_id=? AND kind=? AND ${inTime}`,
    workspace: `COVERING INDEX audit_events_by_workspace (workspace_id=? AND kind=? AND ${inTime}`,
    'workspace and actor': `COVERING INDEX audit_events_by_workspace_actor (workspace_id=? AND actor_id=? AND kind=? AND ${inTime}`,
    preset: `COVERING INDEX audit_events_by_preset_actor (preset_id=? AND actor_id=? AND kind=? AND ${inTime}`,
    'preset and actor': `COVERING INDEX audit_events_by_preset_actor (preset_id=? AND actor_id=? AND kind=? AND ${inTime}`,
  };
  /** How a merged page finds its ranges. The kinds of a filter are known. */
  const auditSteps: Readonly<Partial<Record<string, readonly string[]>>> = {
    kinds: [],
    workspace: ['audit_events_by_workspace (workspace_id=? AND kind>?)'],
    'workspace and actor': ['audit_events_by_workspace_actor (workspace_id=? AND actor_id=? AND kind>?)'],
    preset: [
      'audit_events_by_preset_actor (preset_id=? AND actor_id>?)',
      'audit_events_by_preset_actor (preset_id=? AND actor_id=? AND kind>?)',
    ],
    'preset and actor': ['audit_events_by_preset_actor (preset_id=? AND actor_id=? AND kind>?)'],
  };

  it.each(Object.entries(auditRanges))(
    'SQLite reads a page of the audit log by %s from its start',
    (shape, range) => {
      const details = planOf(`list-audit-by-${shape.replaceAll(' ', '-')}`);
      expect(details).toContain(`SEARCH audit_events USING ${range}`);
      const steps = auditSteps[shape];
      for (const step of steps ?? [])
        expect(details).toContain(`SEARCH audit_events USING COVERING INDEX ${step}`);
      // Nothing else is read of events, besides the first range of each column.
      const ofEvents = details.filter((detail) => detail.startsWith('SEARCH audit_events'));
      expect(ofEvents).toHaveLength(1 + 2 * (steps?.length ?? 0));
      // At most a page of each range is looked up and sorted.
      const merging = ['SEARCH merged USING INTEGER PRIMARY KEY (rowid=?)', 'USE TEMP B-TREE FOR ORDER BY'];
      for (const detail of merging)
        expect(details.filter((each) => each === detail)).toHaveLength(steps === undefined ? 0 : 1);
      const others =
        /^((CO-ROUTINE|SCAN) (e|p|by_actor_id|by_kind)|SCAN (CONSTANT ROW|json_each VIRTUAL TABLE .*)|SETUP|RECURSIVE STEP|CREATE BLOOM FILTER|(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+)$/;
      for (const detail of details.filter((each) => !merging.includes(each)))
        expect(detail).toMatch(detail.startsWith('SEARCH') ? byIndex : others);
    },
  );

  it.each([
    ['an account by email', 'account-by-email', 'memberships_by_user'],
    ['the owner of an identity', 'identity-owner', 'SEARCH i USING PRIMARY KEY'],
    ['the issuers of identities', 'identity-issuers', 'identities_by_user'],
    ['an account by link', 'account-by-link', 'm USING PRIMARY KEY'],
    ['an account', 'get-account', 'm USING PRIMARY KEY'],
    ['a user', 'find-user-account', 'u USING INDEX'],
    ['people', 'people', 'workspace_members_by_user'],
    ['the default workspace', 'default-workspace', 'o USING'],
    ['failures of an account', 'account-failures', 'failed_sign_ins_by_account'],
    ['failures of a network', 'network-failures', 'failed_sign_ins_by_address'],
    ['failures to delete', 'prune-failures', 'failed_sign_ins_by_time'],
    ['an attempt to withdraw', 'withdraw-attempt', 'failed_sign_ins_by_'],
    ['failures to forget', 'forget-failures', 'failed_sign_ins_by_account'],
    ['sessions of a person', 'list-sessions', 'sessions_by_user'],
    ['sessions to end', 'end-selected-sessions', 'sessions_by_user'],
    ['sessions to evict', 'evict-sessions', 'sessions_by_user'],
    ['expired sessions', 'delete-expired-sessions', 'sessions_by_expiry'],
    ['the cases that a change is about', 'current-cases', 'preset_cases_current'],
    ['the current cases of presets', 'current-case-references', 'preset_cases_current'],
    ['states of cases', 'read-cases', '(preset_id=? AND name=? AND number=?)'],
    ['which presets have a draft', 'presets-with-draft', 'preset_drafts'],
    ['a draft', 'find-draft', 'preset_drafts'],
    ['a page of drafts', 'list-drafts', 'preset_drafts_by_update'],
    ['the number of drafts', 'count-drafts', 'preset_drafts'],
    ['the last call of a preset', 'last-call', 'PRIMARY KEY (preset_id=?)'],
    ['presets that were called', 'note-calls', 'SEARCH p USING COVERING INDEX'],
    ['a device by its user code', 'device-by-user-code', 'device_requests'],
    ['a device by its device code', 'device-by-device-code', 'device_requests'],
    ['a device to use', 'use-device', 'SEARCH d USING PRIMARY KEY (device_code_hash=?)'],
    ['expired devices', 'prune-devices', 'device_requests_by_expiry'],
    ['expired leases', 'list-expired-leases', 'spending_leases_by_expiry'],
    ['leases of spenders', 'list-spending-leases', 'SEARCH l USING PRIMARY KEY (subject=?)'],
    ['what was spent', 'find-spending', 'SEARCH s USING INDEX sqlite_autoindex_spending_1 (subject=?)'],
    ['a page of provisioned users', 'list-scim-users', 'scim_users_by_creation'],
    ['a provisioned user by id', 'find-scim-user-by-id', 'scim_users'],
    ['a provisioned user by name', 'find-scim-user-by-name', 'scim_users_by_name'],
    ['a provisioned user by external id', 'find-scim-user-by-external-id', 'scim_users_by_external_id'],
    ['a provisioned user by address', 'find-scim-user-by-email', 'scim_emails'],
    ['a page of groups', 'list-scim-groups', 'scim_groups_by_creation'],
    ['a group by id', 'find-scim-group-by-id', 'PRIMARY KEY (id=?)'],
    ['a group by name', 'find-scim-group-by-name', 'scim_groups_by_name'],
    ['a group by external id', 'find-scim-group-by-external-id', 'scim_groups_by_external_id'],
    ['the members of groups', 'scim-group-members', 'PRIMARY KEY (group_id=?)'],
    ['some members of a group', 'scim-group-members-among', 'PRIMARY KEY (group_id=? AND user_id=?)'],
    ['provisioned users by their ids', 'scim-users-by-ids', 'PRIMARY KEY (organization_id=? AND user_id=?)'],
    ['people with their groups', 'scim-access', 'scim_group_members_by_user'],
    ['workspaces by their slugs', 'named-workspaces', 'workspaces'],
    ['the roles of people in workspaces', 'workspace-roles', 'PRIMARY KEY (workspace_id=? AND user_id=?)'],
    ['users by email', 'find-people', '(email_key=?)'],
    ['candidates for a workspace', 'find-workspace-candidates', 'api_keys_by_owner'],
    ['the keys of several authors', 'find-keys', '(secret_hash=?)'],
    ['presets to create', 'find-presets-to-create', 'PRIMARY KEY (workspace_id=? AND alias=?)'],
    ['keys that were used', 'claim-api_keys', 't USING INDEX'],
    ['sessions that were used', 'claim-sessions', 't USING INDEX'],
    ['people who were active', 'claim-activities', 'm USING PRIMARY KEY'],
  ])('SQLite finds %s by index', (_, name, index) => {
    const details = planOf(name);
    expect(details.join('\n')).toContain(index);
    // Someone has few memberships, which are sorted, as are the few rows of a list.
    const others =
      /^((CO-ROUTINE|SCAN) (found|active|s|u)|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|CREATE BLOOM FILTER|SCAN \w+ VIRTUAL TABLE .*|USE TEMP B-TREE FOR .*(ORDER|GROUP) BY|USE TEMP B-TREE FOR json_group_array\(ORDER BY\)|(CORRELATED )?(SCALAR|LIST) SUBQUERY \d+)$/;
    for (const detail of details) expect(detail).toMatch(detail.startsWith('SEARCH') ? byIndex : others);
  });

  it.each([
    ['a workspace', 'find-workspace'],
    ['a workspace that may be deleted', 'find-any-workspace'],
    ['a member', 'find-member'],
    ['an actor', 'find-user'],
  ])('SQLite finds %s by one index or the other', (_, name) => {
    const others =
      /^((CO-ROUTINE|SCAN) found|MERGE \(UNION\)|LEFT|RIGHT|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL)$/;
    expectByIndex(name, others);
  });
});

describe.runIf(engines.includes('postgres'))('query plans on PostgreSQL', () => {
  let database: TestDatabase;
  let connection: pg.Client;
  const plans = new Map<string, string>();

  /** A connection plans a statement on first use and keeps the plan while the tables grow. */
  const moments = ['empty', 'full', 'full and analyzed'] as const;

  beforeAll(async () => {
    database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    connection = new pg.Client({ connectionString: database.url, options: sessionSettings });
    await connection.connect();
    for (const moment of moments) {
      if (moment === 'full') await connection.query(manyRows);
      if (moment === 'full and analyzed') await connection.query('ANALYZE');
      for (const [name, { text }] of statements) {
        await connection.query(`DEALLOCATE ALL; PREPARE statement AS ${text.postgres}`);
        // The plan is generic, whatever the values.
        const count = Math.max(
          0,
          ...Array.from(text.postgres.matchAll(/\$(\d+)/g), (match) => Number(match[1])),
        );
        const values = count === 0 ? '' : `(${Array(count).fill('NULL').join()})`;
        const { rows } = await connection.query(`EXPLAIN EXECUTE statement ${values}`);
        plans.set(`${moment} ${name}`, rows.map((row) => String(row['QUERY PLAN'])).join('\n'));
      }
    }
  });
  afterAll(async () => {
    await connection.end();
    await database.drop();
  });

  const planOf = (moment: string, name: string) =>
    plans.get(`${moment} ${name}`) ?? expect.fail(`no statement is named ${name}`);
  const sorts = /\bSort {2}\(/;
  /** The step to the next kind of the audit log. */
  const nextKind = /\(kind > p_1\.kind\)/;
  const ownWords =
    /Scan using member_words_pkey .*\n *Index Cond: \(\(user_id = \S+\) AND \(organization_id = \S+\)\)/;

  describe.each(moments)('tables that are %s', (moment) => {
    it('PostgreSQL reads no whole table, whatever the statement', () => {
      const found = [...statements.keys()].flatMap((name) =>
        unexpected(name, wholeTablesIn(planOf(moment, name))),
      );
      expect(found).toEqual([]);
    });

    it('PostgreSQL sorts no rows that it could read in index order, whatever the statement', () => {
      const found = [...statements.keys()].filter((name) => sorts.test(planOf(moment, name)));
      expect(found.filter((name) => !maySort.includes(name))).toEqual([]);
    });

    it.each([
      ['a page of members', 'list-members'],
      ['a key', 'find-key'],
      ['a session', 'find-session'],
      ['the role of a member in a workspace', 'workspace-role'],
      ['a preset', 'find-preset'],
      ['the state of a preset', 'preset-state'],
      ['the count of presets', 'count-presets'],
      ['presets by slug', 'list-presets-by-slug'],
      ['a page of versions', 'preset-versions'],
    ])('PostgreSQL finds %s by index alone', (_, name) => {
      const plan = planOf(moment, name);
      expect(plan).toMatch(/Index/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Bitmap/);
      expect(plan).not.toMatch(sorts);
    });

    it('PostgreSQL reads only the configs and last events of a page, by index', () => {
      const plan = planOf(moment, 'preset-overviews');
      expect(plan).toMatch(/Index Scan using preset_versions_preset_id_version_key/);
      expect(plan).toMatch(/Index Scan using audit_events_by_preset/);
      expect(plan).toMatch(/Index Scan using users_pkey/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Bitmap|Merge/);
    });

    it.each([
      ['a page of presets', 'list-presets'],
      ['a page of common words', 'walk-presets'],
      ['a page of common words of names', 'walk-preset-names'],
      ['the end of a chunk of presets', 'preset-chunk-end'],
    ])('PostgreSQL reads %s in index order, merging statuses if there are several', (_, name) => {
      for (const [shape, ranges] of [['one', 1] as const, ['three', 3] as const]) {
        const plan = planOf(moment, `${name}-${shape}`);
        expect(/Merge Append/.test(plan)).toBe(ranges > 1);
        const fromPlace =
          /Index Only Scan using presets_by_update .*\n.*ROW\(updated_at, id\) < ROW\(\$2, \$3\)/g;
        expect(plan.match(fromPlace)).toHaveLength(ranges);
        expectBounded(plan);
        expect(plan).not.toMatch(sorts);
      }
    });

    it('PostgreSQL reads found presets by id', () => {
      const plan = planOf(moment, 'preset-summaries');
      expect(plan).toMatch(/Index Scan using presets_pkey/);
      expectBounded(plan);
    });

    it.each([
      ['a count of matches', 'count-found-presets'],
      ['a page of matches', 'search-presets'],
    ])('PostgreSQL finds %s without reading a table', (_, name) => {
      const plan = planOf(moment, name);
      expect(plan).toMatch(/preset_words_by_word/);
      expect(plan).toMatch(/content_words_pkey/);
      expect(plan).toMatch(/Index (Only )?Scan using preset_words_pkey/);
      expect(plan).toMatch(/Index Scan using preset_contents_pkey/);
      expect(plan).not.toMatch(/Seq Scan|Hash Join|Bitmap/);
    });

    it('PostgreSQL counts the presets with each word by index alone', () => {
      const plan = planOf(moment, 'count-preset_words');
      expect(plan).toMatch(/Index Only Scan using preset_words_by_word/);
      expect(plan).toMatch(/Index Only Scan using content_words_pkey/);
      expect(plan).toMatch(/Index Only Scan using common_words_pkey/);
      expect(plan).not.toMatch(/Seq Scan|Hash|Bitmap/);
    });

    it.each([
      ['whether members are indexed', 'are-members-indexed', /Index Only Scan using unindexed_members_pkey/],
      ['how often words are in members', 'count-member_words', /Index Only Scan using member_words_by_word/],
      [
        'members with common words',
        'walk-members',
        /Limit .*\n *-> {2}Index (Only )?Scan using memberships_by_joining/,
      ],
      [
        'a chunk of members',
        'member-chunk',
        /Limit .*\n *-> {2}Index (Only )?Scan using memberships_by_joining/,
      ],
      [
        'the end of a chunk of members',
        'member-chunk-end',
        /Index (Only )?Scan using memberships_by_joining/,
      ],
      ['members that were found', 'get-members', /Index Scan using memberships_(pkey|by_user)/],
      ['members to index', 'lock-members-to-index', /Index Scan using memberships_(pkey|by_user)/],
      ['users to index', 'lock-users-to-index', /Index Scan using users_pkey/],
      ['words of members to delete', 'forget-member-words', /Index Scan using member_words_pkey/],
      [
        'members that have been indexed',
        'unlist-unindexed-members',
        /Index Scan using unindexed_members_pkey/,
      ],
      [
        'the contents of presets',
        'preset-contents',
        /Index Scan using preset_versions_preset_id_version_key/,
      ],
      [
        'presets that have been indexed',
        'unlist-unindexed-presets',
        /Index Scan using unindexed_presets_pkey/,
      ],
      ['words to add', 'add-content-words', /Index Only Scan using common_words_pkey/],
      ['words to remove', 'remove-content-words', /Index Scan using content_words_pkey/],
      [
        'words that have become common',
        'drop-common-content-words',
        /Index (Only )?Scan using content_words_pkey/,
      ],
    ])('PostgreSQL finds %s by index', (_, name, index) => {
      const plan = planOf(moment, name);
      expect(plan).toMatch(index);
      expectBounded(plan);
    });

    it('PostgreSQL looks up members by a rare word and sorts no others', () => {
      const plan = planOf(moment, 'look-up-members');
      expect(plan).toMatch(/Index Only Scan using member_words_by_word/);
      expect(plan).toMatch(ownWords);
      expect(plan).not.toMatch(/Seq Scan|Hash Join|Bitmap/);
    });

    it('PostgreSQL checks the words of each member by the key of the member', () => {
      const plan = planOf(moment, 'walk-members');
      expect(plan.match(new RegExp(ownWords, 'g'))).toHaveLength(2);
      expect(plan).not.toMatch(/member_words_by_word/);
    });

    it('PostgreSQL reads members and presets to index in key order', () => {
      for (const [, name, index] of [
        [
          'a batch of members to index',
          'list-unindexed-members',
          /Index Only Scan using unindexed_members_pkey/,
        ],
        ['members of an organization by id', 'members-after', /Index Only Scan using memberships_pkey/],
        [
          'a batch of presets to index',
          'list-unindexed-presets',
          /Index Only Scan using unindexed_presets_pkey/,
        ],
        ['presets by id', 'presets-after', /Index Only Scan using presets_pkey/],
      ] as const) {
        const plan = planOf(moment, name);
        expect(plan).toMatch(index);
        expect(plan).not.toMatch(sorts);
      }
    });

    it('PostgreSQL finds a member by id or email without reading others', () => {
      const plan = planOf(moment, 'find-member');
      expect(plan).toMatch(/users_pkey/);
      expect(plan).toMatch(/users_email_key_key/);
      expect(plan.replace('Filter: (organization_id = $1)', '')).not.toMatch(/Seq Scan|Hash|Filter/);
    });

    it('PostgreSQL creates versions without reading more than their workspaces and names', () => {
      const plan = planOf(moment, 'find-presets-to-create');
      expect(plan).toMatch(/ on workspaces .*\n *Index Cond: .*\bid = \w+\.workspace_id\)/);
      expect(plan).toMatch(/Index Cond: \(\(workspace_id = \w+\.workspace_id\) AND \(slug = \w+\.name\)\)/);
      expect(plan).toMatch(/Index Cond: \(\(workspace_id = \w+\.workspace_id\) AND \(alias = \w+\.name\)\)/);
      expect(plan).toMatch(/Index Scan using presets_pkey/);
      expectBounded(plan);
    });

    it('PostgreSQL finds the keys of several authors by their secrets', () => {
      const plan = planOf(moment, 'find-keys');
      expect(plan).toMatch(/api_keys_secret_hash_key/);
      expect(plan).toMatch(/retired_secrets_pkey/);
      expectBounded(plan);
      expect(plan).not.toMatch(sorts);
    });

    it.each([
      [
        'a page of workspaces',
        'list-workspaces',
        /Limit .*\n *-> {2}Index Scan using workspaces_by_creation/,
      ],
      [
        'a page of members of a workspace',
        'workspace-members',
        /Limit .*\n *-> {2}Index (Only )?Scan using workspace_members_by_joining/,
      ],
      [
        'a page of members of the default workspace',
        'default-workspace-members',
        /Limit .*\n *-> {2}Index (Only )?Scan using memberships_by_joining/,
      ],
      ['users by email', 'find-people', /Index Scan using users_email_key_key/],
      ['candidates for a workspace', 'find-workspace-candidates', /Index Scan using api_keys_by_owner/],
      ['the active keys of a workspace', 'count-active-keys', /Index Scan using api_keys_by_workspace/],
      ['the keys of a workspace', 'workspace-keys', /Index Scan using api_keys_by_workspace/],
      ['the keys of a member who leaves', 'enabled-keys', /Index Scan using api_keys_by_owner/],
      ['the first admins', 'count-admins', /Index (Only )?Scan using memberships_admins/],
      ['users to rename', 'rename-users', /Index Scan using users_pkey/],
      ['a preset that has a name', 'preset-by-name', /Index Scan using presets_workspace_id_slug_key/],
      ['a preset that has a name', 'preset-by-name', /Index Scan using preset_aliases_pkey/],
      ['a preset to lock', 'lock-preset', /Index Scan using preset_aliases_pkey/],
      ['aliases to remove', 'remove-aliases', /Index Scan using preset_aliases_pkey/],
      [
        'members whose role or status changes',
        'update-memberships',
        /Index Scan using memberships_(pkey|by_user) .*\n *Index Cond: .*\(user_id = n\.user_id\)/,
      ],
      [
        'workspaces that a member leaves',
        'leave-workspaces',
        /Index Scan using workspace_members_(by_user|pkey)/,
      ],
    ])('PostgreSQL finds %s by index, in index order', (_, name, index) => {
      const plan = planOf(moment, name);
      expect(plan).toMatch(index);
      expectBounded(plan);
      expect(plan).not.toMatch(sorts);
    });

    it.each([
      [
        'an account by email',
        'account-by-email',
        /users_email_key_key/,
        /memberships_by_user/,
        /passwords_pkey/,
      ],
      [
        'the owner of an identity',
        'identity-owner',
        /identities_pkey/,
        /users_pkey/,
        /memberships_(pkey|by_user)/,
      ],
      ['the issuers of identities', 'identity-issuers', /identities_by_user/],
      ['an account by link', 'account-by-link', /sign_in_links_pkey/, /memberships_(pkey|by_user)/],
      ['an account', 'get-account', /memberships_(pkey|by_user)/, /users_pkey/, /passwords_pkey/],
      ['a user', 'find-user-account', /users_pkey/, /passwords_pkey/],
      [
        'people',
        'people',
        /memberships_(pkey|by_user)/,
        /identities_by_user/,
        /workspace_members_by_user/,
        /scim_users_/,
      ],
      ['the default workspace', 'default-workspace', /organizations_pkey/, /workspaces_pkey/],
      [
        'whether someone has been active',
        'has-been-active',
        /memberships_(pkey|by_user)/,
        /passwords_pkey/,
        /identities_by_user/,
      ],
      ['links of a person', 'delete-links', /sign_in_links_by_user/],
      ['a link to use', 'use-link', /sign_in_links_(pkey|by_user)/],
      ['failures of an account', 'account-failures', /Backward using failed_sign_ins_by_account/],
      ['failures of a network', 'network-failures', /Backward using failed_sign_ins_by_address/],
      ['failures to delete', 'prune-failures', /failed_sign_ins_by_time/],
      ['an attempt to withdraw', 'withdraw-attempt', /failed_sign_ins_by_(account|address)/],
      ['failures to forget', 'forget-failures', /failed_sign_ins_by_account/],
      ['sessions of a person', 'list-sessions', /Backward using sessions_by_user/],
      ['sessions to end', 'end-selected-sessions', /sessions_by_user/],
      ['other sessions to end', 'end-other-sessions', /sessions_by_user/],
      ['sessions to evict', 'evict-sessions', /Backward using sessions_by_user/, /sessions_pkey/],
      ['expired sessions', 'delete-expired-sessions', /sessions_by_expiry/, /sessions_pkey/],
      ['a replaced session', 'end-replaced-session', /sessions_token_hash_key/],
      ['keys that were used', 'claim-api_keys', /Index Scan using api_keys_pkey/],
      ['keys whose use is noted', 'note-api_keys', /Index Scan using api_keys_pkey/],
      ['sessions that were used', 'claim-sessions', /Index Scan using sessions_pkey/],
      ['sessions whose use is noted', 'note-sessions', /Index Scan using sessions_pkey/],
      ['people who were active', 'claim-activities', /Index Scan using memberships_(pkey|by_user)/],
      ['people whose activity is noted', 'note-activities', /Index Scan using memberships_(pkey|by_user)/],
      [
        'states of cases',
        'read-cases',
        /Index Scan using preset_cases_pkey/,
        /audit_events_by_preset/,
        /users_pkey/,
      ],
      ['a case', 'find-case', /preset_cases_current/, /audit_events_by_preset/, /users_pkey/],
      [
        'a case at an event',
        'find-case-at',
        /Backward using preset_cases_pkey/,
        /audit_events_by_preset/,
        /users_pkey/,
      ],
      ['the cases that a change is about', 'current-cases', /preset_cases_current/],
      ['the current cases of presets', 'current-case-references', /preset_cases_current/, /preset_cases_/],
      ['which presets have a draft', 'presets-with-draft', /preset_drafts_/],
      ['a draft', 'find-draft', /preset_drafts_(pkey|by_\w+)/],
      ['a draft to lock', 'lock-draft', /preset_drafts_(pkey|by_\w+)/],
      ['a page of drafts', 'list-drafts', /preset_drafts_by_update/, /users_pkey/],
      ['the number of drafts', 'count-drafts', /preset_drafts_/],
      ['the last call of a preset', 'last-call', /preset_calls_pkey/],
      ['presets that were called', 'note-calls', /presets_pkey/],
      ['the membership of a writer', 'lock-membership', /memberships_(pkey|by_user)/],
      ['a device by its user code', 'device-by-user-code', /device_requests_user_code_hash_key/],
      ['a device by its device code', 'device-by-device-code', /device_requests_pkey/],
      ['a device to use', 'use-device', /device_requests_pkey/, /sessions_(pkey|by_user)/],
      ['expired devices', 'prune-devices', /device_requests_by_expiry/, /device_requests_pkey/],
      [
        'a page of provisioned users',
        'list-scim-users',
        /scim_users_by_creation/,
        /scim_users_pkey/,
        /scim_group_members_by_user/,
      ],
      [
        'a provisioned user by id',
        'find-scim-user-by-id',
        /scim_users_pkey/,
        /users_pkey/,
        /memberships_(pkey|by_user)/,
      ],
      ['a provisioned user by name', 'find-scim-user-by-name', /scim_users_by_name/],
      ['a provisioned user by external id', 'find-scim-user-by-external-id', /scim_users_by_external_id/],
      ['a provisioned user by address', 'find-scim-user-by-email', /scim_emails_pkey/],
      ['a page of groups', 'list-scim-groups', /scim_groups_by_creation/],
      ['a group by id', 'find-scim-group-by-id', /scim_groups_pkey/],
      ['a group by name', 'find-scim-group-by-name', /scim_groups_by_name/],
      ['a group by external id', 'find-scim-group-by-external-id', /scim_groups_by_external_id/],
      ['the members of groups', 'scim-group-members', /scim_group_members_pkey/, /users_pkey/],
      ['some members of a group', 'scim-group-members-among', /scim_group_members_pkey/, /users_pkey/],
      ['provisioned users by their ids', 'scim-users-by-ids', /scim_users_pkey/, /users_pkey/],
      ['people with their groups', 'scim-access', /scim_group_members_by_user/, /memberships_(pkey|by_user)/],
      [
        'workspaces by their slugs',
        'named-workspaces',
        /workspaces_organization_id_slug_key|workspaces_by/,
        /organizations_pkey/,
      ],
      ['the roles of people in workspaces', 'workspace-roles', /workspace_members_(pkey|by_user)/],
    ])('PostgreSQL finds %s by index', (_, name, ...indexes) => {
      const plan = planOf(moment, name);
      for (const index of indexes) expect(plan).toMatch(index);
      expectBounded(plan);
    });

    it.each([
      [
        'a key by id, label or secret',
        'get-key',
        /api_keys_by_label/,
        /api_keys_secret_hash_key/,
        /retired_secrets_pkey/,
      ],
      ['a workspace', 'find-workspace', /workspaces_pkey/, /workspaces_organization_id_slug_key/],
      [
        'a workspace that may be deleted',
        'find-any-workspace',
        /workspaces_(pkey|organization_id_id_key)/,
        /workspaces_organization_id_slug_key/,
      ],
      ['an actor', 'find-user', /users_pkey/, /users_email_key_key/],
    ])('PostgreSQL finds %s by one of several indexes', (_, name, ...indexes) => {
      const plan = planOf(moment, name);
      for (const index of indexes) expect(plan).toMatch(index);
      expectBounded(plan);
      // If anything is sorted, it is the few ids found.
      for (const [, below] of plan.matchAll(/\bSort {2}\(.*\n.*Sort Key: .*\n *-> {2}(\w+)/g))
        expect(below).toBe('Append');
    });

    it('PostgreSQL merges a page of keys from the index and sorts no more than the page', () => {
      const plan = planOf(moment, 'list-keys');
      expect(plan).toMatch(/Merge Append/);
      expect(plan.match(/Index Scan Backward using api_keys_by_workspace/g)).toHaveLength(2);
      expect(plan.match(new RegExp(sorts, 'g'))).toHaveLength(1);
      expect(plan).toMatch(/Sort {2}\(.*\n.*Sort Key: .*\n *-> {2}Subquery Scan .*\n *-> {2}Limit/);
      expectBounded(plan);
    });

    it.each([
      ['all', /using audit_events_pkey/, 'ROW(created_at, id) < ROW($4, $5)'],
      ['actor', /using audit_events_by_actor/, 'actor_id, created_at, id) < ROW($7, $4, $5)'],
      ['actor and kinds', /using audit_events_by_actor/, 'actor_id, created_at, id) < ROW($7, $4, $5)'],
    ])('PostgreSQL reads a page of the audit log by %s from its start', (shape, index, condition) => {
      const plan = planOf(moment, `list-audit-by-${shape.replaceAll(' ', '-')}`);
      const scan = /Index Scan Backward .* on audit_events .*\n *Index Cond: .*/.exec(plan)?.[0];
      expect(scan).toMatch(index);
      expect(scan).toContain(condition);
      expectBounded(plan);
      expect(plan).not.toMatch(sorts);
    });

    it.each([
      ['kinds', 'audit_events_by_kind', 'kind, created_at, id) < ROW(given.value, $4, $5)', undefined],
      ['workspace', 'audit_events_by_workspace', 'kind, created_at, id) < ROW(p.kind, $4, $5)', nextKind],
      [
        'workspace and actor',
        'audit_events_by_workspace_actor',
        'kind, created_at, id) < ROW(p.kind, $4, $5)',
        nextKind,
      ],
      [
        'preset',
        'audit_events_by_preset_actor',
        'actor_id, kind, created_at, id) < ROW(p.actor_id, p.kind, $4, $5)',
        /\(ROW\(actor_id, kind\) > ROW\(p_1\.actor_id, p_1\.kind\)\)/,
      ],
      [
        'preset and actor',
        'audit_events_by_preset_actor',
        'kind, created_at, id) < ROW(p.kind, $4, $5)',
        nextKind,
      ],
    ])(
      'PostgreSQL merges a page of the audit log by %s from ranges of an index',
      (shape, index, condition, step) => {
        const plan = planOf(moment, `list-audit-by-${shape.replaceAll(' ', '-')}`);
        const scans = plan.match(/Index (Only )?Scan .* on audit_events .*\n *Index Cond: .*/g) ?? [];
        expect(scans).toHaveLength(step === undefined ? 1 : 3);
        for (const scan of scans) expect(scan).toMatch(new RegExp(`using ${index} `));
        const ranges = scans.filter((scan) => scan.includes('Backward'));
        expect(ranges).toEqual([expect.stringContaining(condition)]);
        if (step !== undefined) expect(scans.filter((scan) => step.test(scan))).toHaveLength(1);
        expectBounded(plan);
        // At most a page of each range is sorted.
        expect(plan.match(new RegExp(sorts, 'g'))?.length ?? 0).toBeLessThanOrEqual(2);
      },
    );

    it('PostgreSQL finds expired idempotency keys by age', () => {
      const plan = planOf(moment, 'delete-expired-idempotency-keys');
      expect(plan).toMatch(/Index Scan using idempotency_keys_by_age/);
      expect(plan).not.toMatch(/Seq Scan|Hash (Semi )?Join/);
      expect(plan).not.toMatch(sorts);
    });
  });
});

/** Every table is read through an index, and every index with a condition. */
function expectBounded(plan: string): void {
  expect(plan).toMatch(/Index (Only )?Scan/);
  if (wholeTablesIn(plan).length > 0) expect.fail(plan);
}

/**
 * The tables that a plan of PostgreSQL reads without a condition on an index, and the steps that
 * read many rows to compare them. Only the words of a search or of one member may be.
 */
function wholeTablesIn(plan: string): readonly string[] {
  const tables = /(?:Seq Scan|Index (?:Only )?Scan (?:Backward )?using \w+) on (\w+)(?!.*\n *Index Cond: )/g;
  const steps =
    /(?:Hash|Merge) (?:\w+ )?Join|Bitmap|Materialize(?!.*\n *-> {2}(?:Subquery Scan on wanted|Index Only Scan using member_words_pkey) )/g;
  return [...Array.from(plan.matchAll(tables), ([, table = '']) => table), ...(plan.match(steps) ?? [])];
}

/**
 * Rows in several workspaces, with presets of every status. With four times as many, PostgreSQL
 * reads the same indexes.
 */
const manyRows = `
  BEGIN;
  INSERT INTO organizations SELECT gen_random_uuid(), 'x', gen_random_uuid(), 0, now() FROM generate_series(1, 4);
  INSERT INTO workspaces (id, organization_id, slug, name, created_at) SELECT default_workspace_id, id, 'default', 'Default', now() FROM organizations;
  INSERT INTO users SELECT 'user_' || g, 'e' || g, 'e' || g, '', '', now() FROM generate_series(1, 1250) g;
  INSERT INTO memberships SELECT (SELECT id FROM organizations LIMIT 1), id, 'org:member', now() FROM users;
  UPDATE memberships SET role = 'org:admin' WHERE user_id LIKE 'user_1__';
  INSERT INTO member_words SELECT user_id, organization_id, unnest(ARRAY['user', user_id]) FROM memberships;
  INSERT INTO workspaces (id, organization_id, slug, name, created_at)
  SELECT gen_random_uuid(), o.id, 'more-' || g, 'More', now() FROM organizations o, generate_series(1, 50) g;
  INSERT INTO workspace_members
  SELECT w.id, u.id, now() FROM workspaces w, users u WHERE w.slug LIKE 'more-_' AND u.id LIKE 'user_2%';
  INSERT INTO api_keys (id, secret_hash, label, name, kind, read_only, owner_id, organization_id, workspace_id, disabled, created_at)
  SELECT gen_random_uuid(), g || ' ' || w.id, 'label-' || g, 'A key', 'api', false, 'user_' || g, w.organization_id, w.id,
    g % 3 = 0, now() - g * interval '1 second'
  FROM workspaces w, generate_series(1, 25) g;
  INSERT INTO retired_secrets SELECT 'old ' || secret_hash, id, now() FROM api_keys;
  INSERT INTO presets (
    id, workspace_id, slug, name, status, latest_version, designated_version, revision, creator_user_id, created_at,
    updated_at
  )
  SELECT gen_random_uuid(), w.id, 'preset-' || g, 'A preset',
    (ARRAY['active', 'active', 'active', 'disabled', 'archived'])[1 + g % 5], 2, 2, 2, 'user_' || g, now(),
    now() - g * interval '1 second'
  FROM workspaces w, generate_series(1, 1000) g WHERE w.slug = 'default';
  INSERT INTO preset_versions
  SELECT gen_random_uuid(), id, version, 'messages', '{}', NULL, creator_user_id, now()
  FROM presets, generate_series(1, 2) version;
  INSERT INTO preset_labels SELECT id, 'production', 1, now() FROM presets;
  INSERT INTO preset_aliases SELECT workspace_id, 'alias-' || slug, id, now() FROM presets;
  INSERT INTO preset_words SELECT id, unnest(string_to_array(slug, '-')), workspace_id FROM presets;
  INSERT INTO preset_tags SELECT id, 'tag' FROM presets;
  INSERT INTO preset_contents SELECT row_number() OVER (), id, ' a long prompt' FROM presets;
  INSERT INTO content_workspaces SELECT row_number() OVER (), id FROM workspaces;
  INSERT INTO content_words (workspace, preset, word)
  SELECT w.number, c.number, unnest(ARRAY['some', p.slug])
  FROM presets p JOIN preset_contents c ON c.preset_id = p.id JOIN content_workspaces w ON w.workspace_id = p.workspace_id;
  INSERT INTO common_words SELECT w.number, 'common-' || g FROM content_workspaces w, generate_series(1, 50) g;
  INSERT INTO audit_events
  SELECT v.id, w.organization_id, w.id, p.id, v.version, 
    (ARRAY['preset.created', 'preset.version_added'])[v.version], p.creator_user_id, NULL, NULL, NULL, now()
  FROM presets p JOIN preset_versions v ON v.preset_id = p.id JOIN workspaces w ON w.id = p.workspace_id;
  INSERT INTO idempotency_keys
  SELECT workspace_id, slug, 'hash', '{}', id, 1, now() - random() * interval '30 days' FROM presets;
  INSERT INTO passwords SELECT id, 'hash', now() FROM users;
  INSERT INTO identities SELECT 'issuer', id, id, 'okta', now() FROM users;
  INSERT INTO sessions
  SELECT gen_random_uuid(), 'token ' || user_id || ' ' || g, user_id, organization_id, 'password', '192.0.2.1', '',
    now(), now(), now() + g * interval '1 day'
  FROM memberships, generate_series(1, 3) g;
  INSERT INTO scim_users
  SELECT organization_id, user_id, user_id, user_id, 'ext ' || user_id, '{}', now(), now() FROM memberships;
  INSERT INTO scim_emails SELECT organization_id, user_id, user_id FROM memberships;
  INSERT INTO scim_groups
  SELECT gen_random_uuid(), o.id, 'group ' || g, 'group ' || g, 'ext ' || g, now(), now()
  FROM organizations o, generate_series(1, 250) g;
  INSERT INTO scim_group_members
  SELECT g.id, m.user_id, m.organization_id FROM memberships m
  JOIN scim_groups g ON g.organization_id = m.organization_id AND g.display_name = 'group ' || substr(m.user_id, 6);
  INSERT INTO sign_in_links SELECT 'token ' || user_id, user_id, organization_id, now(), now() FROM memberships;
  INSERT INTO failed_sign_ins SELECT email_key, id, now() - g * interval '1 second' FROM users, generate_series(1, 3) g;
  INSERT INTO preset_cases SELECT id, 'case ' || g, g, '{}', g > 40 FROM presets, generate_series(1, 50) g
  WHERE slug LIKE 'preset-1__';
  INSERT INTO preset_drafts
  SELECT p.id, m.user_id, m.organization_id, gen_random_uuid(), '{', NULL, 1, 1, now() - random() * interval '1 day'
  FROM (SELECT id FROM presets LIMIT 20) p, (SELECT * FROM memberships LIMIT 200) m;
  INSERT INTO preset_calls SELECT id, now() FROM presets;
  INSERT INTO call_groups (digest, organization_id, workspace_id, user_id, dialect, status, purpose)
  SELECT w.id || ' ' || g, w.organization_id, w.id, 'user_1', 'messages', 200 + g, 'call'
  FROM workspaces w, generate_series(1, 10) g;
  INSERT INTO calls (id, group_id, is_estimated, total_ms, presetd_ms, is_streamed)
  SELECT gen_random_uuid(), id, false, 1, 1, false FROM call_groups, generate_series(1, 20);
  INSERT INTO spending SELECT 'key:' || id, 1, 1, 0, 1, 0, 1, 0, 0 FROM api_keys;
  INSERT INTO spending_leases SELECT 'key:' || id, 'process ' || g, 1, 0, g
  FROM api_keys, generate_series(1, 3) g;
  INSERT INTO device_requests SELECT 'device ' || id, 'user ' || id, 'laptop', '', now(), now(), 'pending' FROM users;
  COMMIT`;
