import { describe, expect, test } from 'vitest';
import { bodyOfCommand, splitCommand } from './curl-command.ts';

const body = { model: 'openai/gpt-5', messages: [{ role: 'user', content: 'It\'s "fine"\n' }] };
const json = JSON.stringify(body);
const url = 'https://openrouter.ai/api/v1/chat/completions';

describe('a pasted curl line', () => {
  test.each([
    ['single quotes', `curl ${url} -d '${json.replaceAll("'", `'\\''`)}'`],
    ['double quotes', `curl ${url} --data "${json.replaceAll(/["\\]/g, '\\$&')}"`],
    ['ANSI-C quotes', `curl ${url} --data-raw $'${json.replaceAll(/['\\]/g, '\\$&')}'`],
    [
      'line continuations and headers',
      `curl -X POST ${url} \\\n  -H "Authorization: Bearer $KEY" \\\n  -H 'Content-Type: application/json' \\\n  --json '${json.replaceAll("'", `'\\''`)}'`,
    ],
    ['a prompt sign', `$ curl ${url} -d '${json.replaceAll("'", `'\\''`)}'`],
    ['an option joined with its value', `curl ${url} --data='${json.replaceAll("'", `'\\''`)}'`],
    ['the data first', `curl --data-binary '${json.replaceAll("'", `'\\''`)}' ${url}`],
  ])('a curl line with %s yields its body', (_case, command) => {
    expect(JSON.parse(bodyOfCommand(command) ?? 'null')).toEqual(body);
  });

  test.each([
    ['JSON', json],
    ['a command without a body', `curl ${url}`],
    ['a body in a file', `curl ${url} -d @body.json`],
    ['a word that starts with curl', 'curly {}'],
  ])('is not recognized in %s', (_case, text) => {
    expect(bodyOfCommand(text)).toBeUndefined();
  });

  test('is split into words as a shell does', () => {
    expect(splitCommand(`a 'b c'"d \\"e"\\ f  g\\\n h ''`)).toEqual(['a', 'b cd "e f', 'g', 'h', '']);
  });
});
