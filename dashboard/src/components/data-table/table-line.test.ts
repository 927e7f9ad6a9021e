import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TableLine } from './table-line.tsx';

test.each([true, false])('similar rows can be opened if the name of a row wraps: %s', (wraps) => {
  const column = { id: 'name', title: 'Name', isFixed: true, wraps, cell: () => 'First' };
  const html = renderToStaticMarkup(
    createElement(TableLine<object>, {
      line: { kind: 'row', key: 'a', id: 'a', row: {}, similar: 3 },
      index: 0,
      columns: [column],
      columnCount: 1,
      selection: undefined,
      details: undefined,
      rowMenu: undefined,
      isSelected: false,
      open: new Set<string>(),
      onSelect: () => {},
      onToggle: () => {},
      measure: undefined,
    }),
  );
  expect(html).toContain('First');
  expect(html).toContain('3 more like this');
});
