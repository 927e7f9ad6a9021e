import { describe, expect, it } from 'vitest';
import { importBatch } from './import-batch.ts';
import type { Outcome } from './member-tally.ts';
import type { Person } from './people-parser.ts';

const at = (line: number, email: string) => ({ line, lastLine: line, person: { email } });

class Refusal extends Error {
  readonly issues: readonly { path: string; message: string }[];
  constructor(...issues: readonly { path: string; message: string }[]) {
    super('refused');
    this.issues = issues;
  }
}

const answer = (people: readonly Person[], outcome: Outcome, message?: string) =>
  people.map(({ email }) => ({ email, outcome, ...(message !== undefined && { message }) }));

describe('importGroup', () => {
  it('sends the others again without those whom the server finds something wrong with', async () => {
    const sent: string[][] = [];
    const outcomes = await importBatch([at(2, 'a@b.c'), at(3, 'bad'), at(4, 'd@e.f')], async (people) => {
      sent.push(people.map(({ email }) => email));
      if (sent.length === 1)
        throw new Refusal(
          { path: '/members/1/email', message: 'must be an e-mail address' },
          { path: '/members/1/first_name', message: 'is too long' },
        );
      return answer(people, 'added');
    });
    expect(sent).toEqual([
      ['a@b.c', 'bad', 'd@e.f'],
      ['a@b.c', 'd@e.f'],
    ]);
    expect(outcomes.map(({ line, outcome, problem }) => [line, outcome, problem])).toEqual([
      [3, 'refused', 'email must be an e-mail address; first_name is too long'],
      [2, 'added', undefined],
      [4, 'added', undefined],
    ]);
  });

  it('sends nothing more when all are refused', async () => {
    const refuse = () => Promise.reject(new Refusal({ path: '/members/0', message: 'is wrong' }));
    expect(await importBatch([at(2, 'x')], refuse)).toEqual([
      { line: 2, lastLine: 2, outcome: 'refused', problem: 'is wrong' },
    ]);
  });

  it('throws what is about nobody in particular', async () => {
    const failure = new Refusal({ path: '/update_existing', message: 'must be boolean' });
    await expect(importBatch([at(2, 'x')], () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it.each([
    ['refused', undefined, 'a@b.c: the server refuses it'],
    ['refused', 'a@b.c is the last org:admin.', 'a@b.c is the last org:admin.'],
    ['differs', undefined, 'a@b.c is a member with another name or role'],
    ['updated', undefined, undefined],
  ] as const)('of somebody %s with the message %j says %j', async (outcome, message, problem) => {
    const [result] = await importBatch([at(2, 'a@b.c')], async (people) => answer(people, outcome, message));
    expect(result?.problem).toBe(problem);
  });
});
