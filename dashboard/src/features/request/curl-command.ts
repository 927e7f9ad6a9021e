/**
 * The body of a pasted curl line. The line is split like a shell would, so that quotes, escapes and
 * line continuations do not matter. Headers are not read: they contain keys.
 */

/** The JSON body in a pasted text; undefined if it is not a command that contains one. */
export function bodyOfCommand(text: string): string | undefined {
  if (!/^\s*(?:\$\s+)?curl(?:\.exe)?\s/.test(text)) return undefined;
  const words = splitCommand(text.trim().replace(/^\$\s+/, ''));
  const bodies = words.flatMap((word, index) => {
    const [, inline] = /^(?:--data(?:-raw|-binary|-ascii)?|--json|-d)=?([\s\S]+)$/.exec(word) ?? [];
    if (dataOptions.has(word)) return [words[index + 1] ?? ''];
    return inline === undefined || !/^\s*[{[]/.test(inline) ? [] : [inline];
  });
  return bodies.find((body) => /^\s*\{/.test(body));
}

const dataOptions: ReadonlySet<string> = new Set([
  '-d',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--json',
]);

/** The words of a shell command: POSIX quoting, `$'…'`, and the carets of Windows. */
export function splitCommand(command: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const match of command.matchAll(tokenPattern)) {
    const { space, single, dollar, double, escaped, plain } = match.groups ?? {};
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const part =
      single ??
      (dollar === undefined ? undefined : unescapeC(dollar)) ??
      double?.replaceAll(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character)) ??
      escaped ??
      plain ??
      '';
    word = (word ?? '') + part;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** A line continuation counts as a space, since options are never continued within a word. */
const tokenPattern =
  /(?<space>(?:\s|[\\^`]\r?\n)+)|\$'(?<dollar>(?:[^'\\]|\\[\s\S])*)'|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\]+?(?=\$'|[\s'"\\]|$)|[$^`])/g;

/** The escapes of `$'…'`, which browsers write when a body has quotes or control characters. */
function unescapeC(text: string): string {
  return text.replaceAll(
    /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g,
    (_, unicode?: string, hex?: string, character = '') => {
      const code = unicode ?? hex;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return Object.hasOwn(controls, character) ? (controls[character] ?? '') : character;
    },
  );
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '0': '\0' };
