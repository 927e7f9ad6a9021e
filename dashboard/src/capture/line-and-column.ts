/** Counted from one, as editors do. */
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** A line ends where the editor ends it: also after a carriage return. */
export function lineAndColumn(text: string, offset: number): LineAndColumn {
  let line = 1;
  let start = 0;
  for (const { index, 0: lineEnd } of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line += 1;
    start = index + lineEnd.length;
  }
  return { line, column: offset - start + 1 };
}
