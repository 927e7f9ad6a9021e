import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUserId } from '../../src/core/identifiers.ts';
import type { Member, MemberPage } from '../../src/core/organization/organization.ts';
import { parseSearchWords, splitWords } from '../../src/core/text/words.ts';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { createDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { addMembers, newMember, removeMemberFrom } from '../support/members.ts';
import { createOrganizationStorage, type OrganizationStorage } from '../support/organization-storage.ts';
import { time } from '../support/preset-storage.ts';
import { storageOptions } from '../support/storage-options.ts';

const firstPage = { offset: 0, limit: 100 };
const emailsOf = (page: MemberPage | undefined) => page?.members.map(({ email }) => email);

describe.each(engines)('member search on %s', (engine) => {
  let acme: OrganizationStorage;
  beforeAll(async () => {
    acme = await createOrganizationStorage(engine);
  });
  afterAll(() => acme.close());

  const searchIn = (organizationId: string, text: string, page = firstPage, storage = acme.storage) =>
    storage.members.search(organizationId, parseSearchWords(text) ?? [], page);
  const search = (text: string, page = firstPage) => searchIn(acme.organizationId, text, page);
  const unindexed = async (database = acme.database) =>
    Number(
      (
        await database.sql(`SELECT (SELECT count(*) FROM unindexed_members)
          + (SELECT count(*) FROM unindexed_organizations) AS n`)
      )[0]?.n,
    );
  const wordsIn = async (organizationId: string, userId: string) =>
    (
      await acme.database.sql(
        `SELECT word FROM member_words WHERE organization_id = '${organizationId}' AND user_id = '${userId}'`,
      )
    ).map(({ word }) => word);

  /** Writes the way an older server without the index does. */
  const older = {
    add: (organizationId: string, { id, email, firstName, lastName, role }: Member) =>
      acme.database.transaction(
        `INSERT INTO users (id, email, email_key, first_name, last_name, created_at)
         VALUES ('${id}', '${email}', '${email.toLowerCase()}', '${firstName}', '${lastName}', '${time(1)}')`,
        `INSERT INTO memberships (organization_id, user_id, role, joined_at)
         VALUES ('${organizationId}', '${id}', '${role}', '${time(1)}')`,
      ),
    rename: (id: string, firstName: string) =>
      acme.database.transaction(`UPDATE users SET first_name = '${firstName}' WHERE id = '${id}'`),
    remove: (organizationId: string, id: string) =>
      acme.database.transaction(
        `DELETE FROM memberships WHERE organization_id = '${organizationId}' AND user_id = '${id}'`,
      ),
  };

  describe('a search among a few members', () => {
    let organizationId: string;
    const people = [
      newMember({ email: 'Grace.Hopper+navy@mail.example.com', firstName: 'Grace', lastName: 'Hopper' }),
      newMember({ email: 'g_hopkins@example.org', firstName: 'Gerard', lastName: "O'Neil-Hopkins" }),
      newMember({ email: 'ünï-côde@exämple.com', firstName: 'ＫＡＲＥＮ', lastName: 'Größe' }),
      newMember({ email: 'li@example.net', firstName: '小明', lastName: '李' }),
      newMember({ email: '!@!', firstName: '', lastName: '' }),
      newMember({ email: `x@${'long'.repeat(30)}.example`, firstName: 'Ⅷ', lastName: '' }),
    ];
    const emails = people.map(({ email }) => email);
    const [grace = '', gerard = '', karen = '', li = '', , long = ''] = emails;

    beforeAll(async () => {
      ({ organizationId } = await acme.addOrganization());
      for (const [index, person] of people.entries())
        await addMembers(acme.storage, organizationId, [person], time(10 + index));
    });

    it.each<[string, readonly string[]]>([
      ['grace', [grace]],
      ['GRA', [grace]],
      ['hop', [grace, gerard]],
      ['hopp', [grace]],
      ['navy', [grace]],
      ['mail', [grace]],
      ['hop gra', [grace]],
      ['hop ger', [gerard]],
      ['o neil', [gerard]],
      ["O'Neil", [gerard]],
      ['g_hop', [grace, gerard]],
      ['Grace.Hopper+navy@mail.example.com', [grace]],
      ['hopper@mail', [grace]],
      ['karen', [karen]],
      ['GRÖSSE', []],
      ['größe', [karen]],
      ['unï', []],
      ['ÜNÏ côde', [karen]],
      ['李', [li]],
      ['明', [li]],
      ['小李', [li]],
      ['viii', [long]],
      ['longlong', [long]],
      ['long'.repeat(30), [long]],
      ['opper', []],
      ['grace gerard', []],
      ['nobody', []],
      ['!@!', []],
      ['%', []],
      ['hop_', [grace, gerard]],
    ])('searching members for %j finds %j', async (text, expected) => {
      expect(emailsOf(await searchIn(organizationId, text))).toEqual(expected);
    });

    it('member search returns pages in order of joining with a total', async () => {
      const page = (offset: number, limit: number) => searchIn(organizationId, 'example', { offset, limit });
      const matching = people.filter(({ email }) => email !== '!@!' && email !== karen);
      const [admin] =
        (await acme.storage.members.list(organizationId, { offset: 0, limit: 1 }))?.members ?? [];
      const all = [admin, ...matching];
      expect(await page(0, 100)).toEqual({ members: all, totalCount: 5 });
      expect(await page(1, 2)).toEqual({ members: all.slice(1, 3), totalCount: 5 });
      for (const offset of [5, 1_000_000])
        expect(await page(offset, 2)).toEqual({ members: [], totalCount: 5 });
    });

    it('member search finds no one without words and returns undefined without an organization', async () => {
      expect(await acme.storage.members.search(organizationId, [], firstPage)).toEqual({
        members: [],
        totalCount: 0,
      });
      for (const words of [[], ['example']])
        expect(
          await acme.storage.members.search('00000000-0000-7000-8000-000000000000', words, firstPage),
        ).toBeUndefined();
    });
  });

  it('member search never finds or counts members of another organization', async () => {
    const [here, there] = [await acme.addOrganization(), await acme.addOrganization()];
    const shared = newMember({ firstName: 'Isolated', lastName: 'Shared' });
    const foreign = newMember({ firstName: 'Isolated', lastName: 'Foreign' });
    await addMembers(acme.storage, here.organizationId, [shared], time(1));
    await addMembers(acme.storage, there.organizationId, [shared, foreign], time(1));
    for (const text of ['isolated', 'isolated s', shared.email]) {
      expect(await searchIn(here.organizationId, text)).toEqual({ members: [shared], totalCount: 1 });
    }
    for (const text of ['foreign', foreign.email, foreign.id])
      expect(await searchIn(here.organizationId, text)).toEqual({ members: [], totalCount: 0 });
    // The same while names are compared without the index.
    await older.add(here.organizationId, newMember());
    await older.add(there.organizationId, newMember());
    expect(await searchIn(here.organizationId, 'isolated')).toEqual({ members: [shared], totalCount: 1 });
    await acme.storage.members.index();
  });

  it('a member who leaves one organization is no longer found there but still in others', async () => {
    const another = await acme.addOrganization();
    const member = await acme.addMember({ firstName: 'Leaver' });
    await addMembers(acme.storage, another.organizationId, [member], time(1));
    await removeMemberFrom(acme.storage, acme.organizationId, member.id);
    expect(await search('leaver')).toEqual({ members: [], totalCount: 0 });
    expect(await wordsIn(acme.organizationId, member.id)).toEqual([]);
    expect(emailsOf(await searchIn(another.organizationId, 'leaver'))).toEqual([member.email]);
    await older.remove(another.organizationId, member.id);
    expect(await wordsIn(another.organizationId, member.id)).toEqual([]);
    await addMembers(acme.storage, acme.organizationId, [member], time(2));
    expect(emailsOf(await search('leaver'))).toEqual([member.email]);
  });

  it('a renamed member is found by the new name in every organization', async () => {
    const another = await acme.addOrganization();
    const member = await acme.addMember({ firstName: 'Before', lastName: 'Kept' });
    await addMembers(acme.storage, another.organizationId, [member], time(1));
    await acme.editMember(member.id, { firstName: 'After' });
    for (const { organizationId } of [acme, another]) {
      expect(emailsOf(await searchIn(organizationId, 'after kept'))).toEqual([member.email]);
      expect(emailsOf(await searchIn(organizationId, 'before'))).toEqual([]);
    }
    await acme.storage.members.index();
    for (const { organizationId } of [acme, another])
      expect((await wordsIn(organizationId, member.id)).toSorted()).toEqual(
        splitWords('After', 'Kept', member.email).toSorted(),
      );
  });

  describe('member search next to an older server', () => {
    it('finds members that an older server added, before and after indexing', async () => {
      const member = newMember({ firstName: 'Addedbyolder', lastName: '小' });
      await older.add(acme.organizationId, member);
      expect(await search('addedby 小')).toEqual({ members: [member], totalCount: 1 });
      await acme.storage.members.index();
      expect(await unindexed()).toBe(0);
      expect(await search('addedby 小')).toEqual({ members: [member], totalCount: 1 });
      expect(await wordsIn(acme.organizationId, member.id)).toContain('addedbyolder');
    });

    it.each([
      ['', newUserId()],
      [', without a letter in the address', '!'],
    ])('finds members by the names that an older server gave them%s', async (_, name) => {
      const member = await acme.addMember({ email: `${name}@!` });
      await older.rename(member.id, 'Renamedbyolder');
      const expected = { members: [{ ...member, firstName: 'Renamedbyolder' }], totalCount: 1 };
      expect(await search('renamedby')).toEqual(expected);
      await acme.storage.members.index();
      expect(await search('renamedby')).toEqual(expected);
      await removeMemberFrom(acme.storage, acme.organizationId, member.id);
    });

    it('does not find members that an older server removed, even before indexing', async () => {
      const member = newMember({ firstName: 'Removedbyolder' });
      await older.add(acme.organizationId, member);
      await older.remove(acme.organizationId, member.id);
      expect(await search('removedby')).toEqual({ members: [], totalCount: 0 });
      await acme.storage.members.index();
      expect(await unindexed()).toBe(0);
      expect(await search('removedby')).toEqual({ members: [], totalCount: 0 });
    });

    it('a search that encounters unindexed members starts the indexer', async () => {
      await older.add(acme.organizationId, newMember({ firstName: 'Lazy' }));
      await search('lazy');
      await expect.poll(() => unindexed()).toBe(0);
    });
  });

  it('concurrent renames, removals and indexing leave the words of the last names', async () => {
    const { organizationId } = await acme.addOrganization();
    const people = Array.from({ length: 30 }, (_, index) => newMember({ firstName: `Start${index}` }));
    await addMembers(acme.storage, organizationId, people, time(1));
    const others = [await acme.open(), await acme.open()];
    const renameAll = async (round: number) => {
      for (const { id } of people) await older.rename(id, `Round${round}`);
    };
    const change = (id: string, firstName: string) =>
      acme.storage.members.change(organizationId, id, acme.author, (current) => ({
        at: time(3),
        next: { ...current, firstName },
        events: [],
      }));
    await Promise.all([
      renameAll(1),
      ...others.map(({ members }) => members.index()),
      ...people.slice(0, 15).map(({ id }) => change(id, 'Changed')),
      ...people.slice(25).map(({ id }) => removeMemberFrom(acme.storage, organizationId, id)),
    ]);
    await Promise.all([renameAll(2), ...others.map(({ members }) => members.index())]);
    await acme.storage.members.index();
    expect(await unindexed()).toBe(0);
    const expected = people.slice(0, 25).map(({ email }) => email);
    expect(emailsOf(await searchIn(organizationId, 'round2'))?.toSorted()).toEqual(expected.toSorted());
    for (const text of ['start', 'changed', 'round1'])
      expect(emailsOf(await searchIn(organizationId, text))).toEqual([]);
    for (const { id } of people.slice(25)) expect(await wordsIn(organizationId, id)).toEqual([]);
  });

  describe('words that are too common to count', () => {
    let organizationId: string;
    const each = 1_005;
    const pages = async (text: string) => {
      const all: MemberPage[] = [];
      for (let offset = 0; all.length === 0 || all.at(-1)?.members.length === 100; offset += 100)
        all.push((await searchIn(organizationId, text, { offset, limit: 100 })) ?? expect.fail('no page'));
      return all;
    };

    beforeAll(async () => {
      ({ organizationId } = await acme.addOrganization());
      const people = Array.from({ length: 2 * each }, (_, index) =>
        // The last three to join have both names, the others have one of them.
        newMember({
          firstName: index < each || index >= 2 * each - 3 ? 'Left' : '',
          lastName: index >= each ? 'Right' : '',
        }),
      );
      for (let from = 0; from < people.length; from += 500)
        await addMembers(acme.storage, organizationId, people.slice(from, from + 500), time(20 + from));
    });

    it.each(['indexed', 'not indexed yet'])(
      'a common word finds members who are %s in list order, with a total beyond the page',
      async (state) => {
        if (state === 'not indexed yet') await older.add(organizationId, newMember());
        const all = await pages('lef');
        const listed: Member[] = [];
        for (let offset = 0; offset <= 2 * each + 1; offset += 100)
          listed.push(
            ...((await acme.storage.members.list(organizationId, { offset, limit: 100 }))?.members ?? []),
          );
        expect(all.flatMap(({ members }) => members)).toEqual(
          listed.filter(({ firstName }) => firstName === 'Left'),
        );
        expect(all.map(({ totalCount }) => totalCount).slice(-2)).toEqual([1_001, each + 3]);
        for (const [index, { totalCount }] of all.slice(0, -1).entries())
          expect(totalCount).toBeGreaterThan(100 * (index + 1));
        await acme.storage.members.index();
      },
    );

    it('two common words find the few members who have both, however far down the list', async () => {
      const page = await searchIn(organizationId, 'rig LEF');
      expect(page?.totalCount).toBe(3);
      expect(page?.members.map(({ firstName, lastName }) => firstName + lastName)).toEqual(
        Array(3).fill('LeftRight'),
      );
      const second = await searchIn(organizationId, 'left right', { offset: 1, limit: 1 });
      expect(second?.members).toEqual([page?.members[1]]);
      expect(await searchIn(organizationId, 'left right', { offset: 3, limit: 1 })).toEqual({
        members: [],
        totalCount: 3,
      });
    });
  });

  it('finds members from before the index existed, while it is built and afterwards', async () => {
    const database = await createDatabase(engine);
    const [flag, timestamp] = engine === 'sqlite' ? ['integer', 'text'] : ['boolean', 'timestamptz'];
    const known = readMigrations(engine).filter(({ number }) => number < 5);
    const organizationId = '019b0000-0000-7000-8000-000000000001';
    await database.transaction(
      ...known.map(({ sql }) => sql),
      `CREATE TABLE schema_migrations (
         number integer PRIMARY KEY, name text NOT NULL, is_breaking ${flag} NOT NULL, applied_at ${timestamp} NOT NULL
       )`,
      ...known.map(
        ({ number, name }) =>
          `INSERT INTO schema_migrations VALUES (${number}, '${name}', false, '${time(0)}')`,
      ),
      `INSERT INTO organizations (id, name, default_workspace_id, created_at)
       VALUES ('${organizationId}', 'Acme', '${organizationId}', '${time(0)}')`,
      `INSERT INTO workspaces (id, organization_id, slug, name, created_at)
       VALUES ('${organizationId}', '${organizationId}', 'default', 'Default', '${time(0)}')`,
      `INSERT INTO users
       WITH RECURSIVE people (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM people WHERE n < 1200)
       SELECT 'user_' || n, 'person-' || n || '@example.com', 'person-' || n || '@example.com', 'Größe', 'No' || n,
         CAST('${time(0)}' AS ${timestamp}) FROM people`,
      `INSERT INTO memberships SELECT o.id, u.id, 'org:member', o.created_at FROM users u, organizations o`,
    );
    await migrateStorage(storageOptions(database));
    const storage = await openStorage(storageOptions(database));
    try {
      const find = (text: string) => searchIn(organizationId, text, firstPage, storage);
      expect(emailsOf(await find('GRÖSSE no777'))).toEqual([]);
      const expected = ['person-777@example.com'];
      expect(emailsOf(await find('grö no777'))).toEqual(expected);
      await database.transaction(
        "UPDATE users SET first_name = 'Renamed' WHERE id IN ('user_1', 'user_999')",
      );
      await storage.members.index();
      expect(emailsOf(await find('renamed'))?.toSorted()).toEqual([
        'person-1@example.com',
        'person-999@example.com',
      ]);
      expect(emailsOf(await find('grö no777'))).toEqual(expected);
      expect(await unindexed(database)).toBe(0);
      const indexed = await database.sql('SELECT count(DISTINCT user_id) AS n FROM member_words');
      expect(Number(indexed[0]?.n)).toBe(1_200);
      expect(await storage.members.index()).toBe(0);
    } finally {
      await storage.close();
      await database.drop();
    }
  });
});
