/**
 * Names and values in turn, as HTTP clients and servers take them. To put lists together costs a fraction of what it costs
 * to put objects together, and every call does so twice.
 */
export type HeaderList = readonly (string | number | string[])[];

/** Where nothing has to be quick. */
export function toHeaderObject(list: HeaderList): Record<string, string> {
  const pairs = Array.from({ length: list.length / 2 }, (_, index) => [
    String(list[2 * index]),
    String(list[2 * index + 1]),
  ]);
  return Object.fromEntries(pairs);
}
