import fc from 'fast-check';

// `unit: 'binary'` and `fc.webUrl()` would do as well, but they begin by filling a map with all of
// Unicode, which takes two seconds in each process.

/** Any character of Unicode, as a unit of `fc.string`. */
export const codePoint: fc.Arbitrary<string> = fc
  .oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Any 16-bit code unit, as a unit of `fc.string`: lone surrogates too. */
export const codeUnit: fc.Arbitrary<string> = fc
  .nat({ max: 0xffff })
  .map((code) => String.fromCharCode(code));

const segment = fc.string({ unit: fc.oneof(fc.constantFrom(...'aZ09-._~!$'), codePoint), maxLength: 8 });

/** A web address, often with escaped characters. */
export const webAddress: fc.Arbitrary<string> = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.domain(),
    path: fc.array(segment, { maxLength: 3 }),
    query: fc.option(segment),
    fragment: fc.option(segment),
  })
  .map(({ scheme, host, path, query, fragment }) => {
    const steps = path.map((step) => `/${encodeURIComponent(step)}`).join('');
    const search = query === null ? '' : `?${encodeURIComponent(query)}`;
    return `${scheme}://${host}${steps}${search}${fragment === null ? '' : `#${encodeURIComponent(fragment)}`}`;
  });
