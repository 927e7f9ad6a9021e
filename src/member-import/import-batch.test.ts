import { describe, expect, it } from 'vitest';
import { importBatch } from './import-batch.ts';
import type { Outcome } from './import-report.ts';
import type { ListedPerson } from './people-parser.ts';

const personAt = (line: number, email: string) => ({ line, lastLine: line, person: { email } });

class Refusal extends Error {
  readonly issues: readonly { path: string; message: string }[];
  constructor(...issues: readonly { path: string; message: string }[]) {
    super('refused');
    this.issues = issues;
  }
}

const respond = (people: readonly ListedPerson[], outcome: Outcome, message?: string) =>
  people.map(({ email }) => ({ email, outcome, ...(message !== undefined && { message }) }));

describe('importBatch', () => {
  it('a rejected batch is sent again without the people at fault', async () => {
    const sent: string[][] = [];
    const outcomes = await importBatch(
      [personAt(2, 'a@b.c'), personAt(3, 'bad'), personAt(4, 'd@e.f')],
      async (people) => {
        sent.push(people.map(({ email }) => email));
        if (sent.length === 1)
          throw new Refusal(
            { path: '/members/1/email', message: 'must be an email address' },
            { path: '/members/1/first_name', message: 'is too long' },
          );
        return respond(people, 'added');
      },
    );
    expect(sent).toEqual([
      ['a@b.c', 'bad', 'd@e.f'],
      ['a@b.c', 'd@e.f'],
    ]);
    expect(outcomes.map(({ line, outcome, problem }) => [line, outcome, problem])).toEqual([
      [3, 'refused', 'email must be an email address; first_name is too long'],
      [2, 'added', undefined],
      [4, 'added', undefined],
    ]);
  });

  it('nothing more is sent if everyone is rejected', async () => {
    const refuse = () => Promise.reject(new Refusal({ path: '/members/0', message: 'is wrong' }));
    expect(await importBatch([personAt(2, 'x')], refuse)).toEqual([
      { line: 2, lastLine: 2, outcome: 'refused', problem: 'is wrong' },
    ]);
  });

  it('an error that names nobody is rethrown', async () => {
    const failure = new Refusal({ path: '/update_existing', message: 'must be boolean' });
    await expect(importBatch([personAt(2, 'x')], () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it.each([
    ['refused', undefined, 'a@b.c: rejected by the server'],
    ['refused', 'a@b.c is the last org:admin.', 'a@b.c is the last org:admin.'],
    ['differs', undefined, 'a@b.c is a member with a different name or role'],
    ['updated', undefined, undefined],
  ] as const)('the outcome %s with the message %j is reported as %j', async (outcome, message, problem) => {
    const [result] = await importBatch([personAt(2, 'a@b.c')], async (people) =>
      respond(people, outcome, message),
    );
    expect(result?.problem).toBe(problem);
  });
});
