const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of block characters, to an eighth of a column. Anything above zero is visible. */
export function formatBar(value: number, largest: number, width: number): string {
  if (!(value > 0) || !(largest > 0)) return '';
  const parts = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * 8));
  return '█'.repeat(Math.floor(parts / 8)) + eighths[parts % 8];
}
