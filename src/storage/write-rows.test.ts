import { expect, it } from 'vitest';
import { statements } from './statement.ts';
import { updateIn } from './write-rows.ts';

interface Row {
  readonly id: string;
  readonly name: string;
}

it('an update stores every field of the row that it names, which tsc checks', () => {
  updateIn<Row>('complete-update', 'things', ['id'], { id: 'uuid', name: 'text' });
  // @ts-expect-error: proves that a row with a missing column does not compile: the name would be lost
  updateIn<Row>('incomplete-update', 'things', ['id'], { id: 'uuid' });
  // @ts-expect-error: proves that a call without the type of its row does not compile
  updateIn('unnamed-update', 'things', ['id'], { id: 'uuid' });
  expect(statements.get('complete-update')?.text.sqlite).toBe(
    'UPDATE things SET name = ?2  WHERE things.id = ?1',
  );
});
