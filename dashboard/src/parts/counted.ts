/** "1 person", "12,000 people". */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** "12,000". */
export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
