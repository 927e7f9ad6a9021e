import { parsePointer } from '../../../../src/core/json/json-pointer.ts';

/** A JSON Pointer as people write paths: "tools[0].name" for "/tools/0/name". */
export function fieldPath(pointer: string): string {
  return parsePointer(pointer)
    .map((part, depth) => (/^\d+$/.test(part) ? `[${part}]` : depth === 0 ? part : `.${part}`))
    .join('');
}
