/** One-based, as editors count. */
export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** Converts an offset. Line endings match the editor's, which include a lone carriage return. */
export function lineAndColumn(text: string, offset: number): LineAndColumn {
  let line = 1;
  let start = 0;
  for (const { index, 0: lineEnd } of text.slice(0, offset).matchAll(/\r\n|\r|\n/g)) {
    line += 1;
    start = index + lineEnd.length;
  }
  return { line, column: offset - start + 1 };
}
