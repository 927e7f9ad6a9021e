import { describe, expect, it, test } from 'vitest';
import { listColumns, readPeopleFile } from './read-people-file.ts';

const read = (content: string) => readPeopleFile(new Blob([content]), 'people.csv');

describe('readPeopleFile', () => {
  it('returns the people to import and a message for every other line', async () => {
    const file = await read(
      'E-Mail;Team;Role\na@b.c;"two\nlines";admin\nnobody;;\n"A@b.c\n";;\nd@e.f;;boss\ng@h.i;;\n',
    );
    expect(file).toEqual({
      people: [
        { person: { email: 'a@b.c', role: 'org:admin' }, line: 2, lastLine: 3 },
        { person: { email: 'g@h.i' }, line: 8, lastLine: 8 },
      ],
      problems: [
        'Line 4: "nobody" is not an email address.',
        'Lines 5 to 6: "A@b.c" is already on line 2.',
        'Line 7: the role "boss" is not org:admin or org:member.',
      ],
      rejectedLines: 4,
      unknownColumns: ['Team'],
    });
  });

  it('reads a hundred thousand lines across slices', async () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `person-${index}@example.com,"Ä, ${index}"`);
    const { people, problems } = await read(`email,first_name\n${lines.join('\n')}`);
    expect([people.length, problems.length]).toEqual([100_000, 0]);
    expect(people.at(-1)).toEqual({
      person: { email: 'person-99999@example.com', first_name: 'Ä, 99999' },
      line: 100_001,
      lastLine: 100_001,
    });
  });

  it.each([
    ['', 'people.csv is empty.'],
    ['a@b.c,Ann\n', 'people.csv begins with an email address.'],
    ['email\n"a', 'people.csv has a quotation mark on line 2 that is not closed.'],
  ])('rejects %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it('rejects a file over 50 MiB', async () => {
    const huge = { size: 51 * 1024 ** 2 } as Blob;
    await expect(readPeopleFile(huge, 'disk.img')).rejects.toThrow('disk.img is larger than 50 MiB.');
  });
});

const columns = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

describe('listColumns', () => {
  test('names up to twenty columns', () => {
    expect(listColumns(['Team', 'City'])).toBe('Team, City');
    expect(listColumns(columns(20))).toBe(columns(20).join(', '));
  });

  test('counts columns after the twentieth', () => {
    expect(listColumns(columns(5_020))).toBe(`${columns(20).join(', ')} and 5,000 more`);
  });

  test('shortens very long titles', () => {
    expect(listColumns(['a'.repeat(1_000), 'b'])).toBe(`${'a'.repeat(100)}…, b`);
  });
});
