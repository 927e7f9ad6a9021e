import { expect, test } from 'vitest';
import { columnWidths } from './column-widths.ts';

const text = (natural: number, min = 60) => ({ natural, min, grows: true });
const whole = (natural: number) => ({ natural, min: natural, grows: false });

test.each([
  [
    'texts share the room that is left, in proportion',
    [text(300), text(100), whole(90)],
    890,
    [600, 200, 90],
  ],
  ['columns without texts share the room that is left', [whole(100), whole(300)], 800, [200, 600]],
  ['a table that just fits keeps its widths', [text(200), whole(100)], 300, [200, 100]],
  ['the widest text is shortened first', [text(600), text(150), whole(100)], 650, [400, 150, 100]],
  ['wide texts are shortened to the same width', [text(900), text(600), text(130)], 730, [300, 300, 130]],
  [
    'a name stays twice as wide as other texts',
    [{ ...text(900), isName: true }, text(600), text(130)],
    700,
    [380, 190, 130],
  ],
  [
    'a text is not shortened below its minimum',
    [text(900, 180), text(400), whole(100)],
    400,
    [180, 120, 100],
  ],
  ['a table that is too narrow for its minima exceeds its room', [text(900), whole(100)], 120, [60, 100]],
  ['a table without columns has no widths', [], 500, []],
])('%s', (_, needs, available, widths) => {
  expect(columnWidths(needs, available)).toEqual(widths);
});
