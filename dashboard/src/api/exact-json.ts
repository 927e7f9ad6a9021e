/**
 * Parses JSON so that writing it again gives the same numbers: one that JavaScript would round stays as it is written.
 * An older browser, which cannot tell how a number is written, rounds it.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, keepExactly as Reviver);
}

type Reviver = (key: string, value: unknown) => unknown;

interface WithRawJson {
  readonly rawJSON?: (text: string) => unknown;
}

function keepExactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const { rawJSON } = JSON as WithRawJson;
  return rawJSON === undefined || isSameNumber(value, context.source) ? value : rawJSON(context.source);
}

/** Whether a number that is written in another way, such as 1.0 or 1e3, is the same one. */
function isSameNumber(value: number, source: string): boolean {
  if (String(value) === source) return true;
  return digitsOf(String(value)) === digitsOf(source);
}

function digitsOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text
    .toLowerCase()
    .replace('-', '')
    .split(/e(?=[+-]?\d+$)/);
  const [whole = '', fraction = ''] = mantissa.replace(/^-/, '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return `${text.startsWith('-') ? '-' : ''}${trimmed}e${scale}`;
}
