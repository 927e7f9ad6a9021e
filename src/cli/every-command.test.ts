import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';
import { type StubServer, startStubServer } from '../../test/support/stub-server.ts';
import { loadProgram } from './run.ts';

/** Rules for every command, including those added later. */

const folder = mkdtempSync(join(tmpdir(), 'presetd-every-command-'));
writeFileSync(join(folder, 'request.json'), '{"messages":[]}');
writeFileSync(join(folder, 'prompts.json'), '{"id":"pmpt_1","model":"m","input":"x"}');
writeFileSync(
  join(folder, 'presets.ndjson'),
  '{"type":"export","format":1,"presets":1}\n{"type":"preset","slug":"x","versions":0}\n{"type":"end","presets":1,"versions":0}\n',
);

let stub: StubServer;
const received: string[] = [];

beforeAll(async () => {
  stub = await startStubServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.writeHead(409).end('{"error":{"message":"No."}}');
  });
});
afterEach(() => {
  received.length = 0;
});
afterAll(async () => {
  await stub.stop();
  rmSync(folder, { recursive: true });
});

const runAtStub = (args: readonly string[]) =>
  runCommand(args, folder, { PRESETD_URL: stub.url, PRESETD_API_KEY: 'some-key' });

const commands = commandsBelow(await loadProgram(() => true));

function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...commandsBelow(child)]);
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

function commandsWith(option: string): readonly Command[] {
  return commands.filter(({ options }) => options.some(({ flags }) => flags === option));
}

/**
 * Arguments with which a command sends its first request. With `position` and `value`, one of them
 * is replaced.
 */
function callOf(command: Command, position = -1, value = ''): readonly string[] {
  const args = command.registeredArguments
    .filter(({ required }, index) => required || index <= position)
    .map((argument, index) => (index === position ? value : (values[argument.name()] ?? 'x')));
  const [change] = command.options.filter(({ long }) => long === '--name' || long === '--role');
  const choice = change?.argChoices?.[0] ?? (change?.long === '--role' ? 'org:admin' : 'x');
  const times = command.options
    .filter(({ mandatory, flags }) => mandatory && flags.endsWith('<time>'))
    .flatMap(({ long }) => [`${long}`, '2027-01-31']);
  return [...pathOf(command), ...args, ...times, ...(change?.long == null ? [] : [change.long, choice])];
}

const values: Readonly<Record<string, string>> = {
  email: 'a@example.com',
  'prompts.json': 'prompts.json',
  'request.json': 'request.json',
  'case.json': 'request.json',
  file: 'presets.ndjson',
  version: '1',
};

const titled = (list: readonly Command[]) =>
  list.map((command) => [pathOf(command).join(' '), command] as const);

it.each(titled(commandsWith('--profile <name>')).filter(([path]) => path !== 'login'))(
  '%s uses the profile that --profile names',
  async (_path, command) => {
    const { code, stderr } = await runCommand([...callOf(command), '--profile', 'gone'], folder);
    expect([code, stderr]).toEqual([4, 'There is no profile gone. Create it with "presetd login".\n']);
  },
);

it.each(
  titled(commandsWith('--workspace <id or slug>')).filter(([path]) => !['audit', 'login'].includes(path)),
)('%s looks up the workspace that --workspace names', async (_path, command) => {
  await runAtStub([...callOf(command), '--workspace', 'elsewhere']);
  expect(received[0]).toBe('GET /api/v1/workspaces/elsewhere');
});

it.each(titled(commandsWith('--json')))('%s --json reports an error as JSON', async (_path, command) => {
  const { code, stdout, stderr } = await runAtStub([...callOf(command), '--json']);
  expect([code, stdout]).toEqual([5, '']);
  expect(JSON.parse(stderr).error).toMatchObject({ kind: 'conflict', exit_code: 5, code: 409 });
});

it('a command rejects wrong input before it sends anything, except where any text may be right', async () => {
  const accepted: string[] = [];
  for (const command of commands.filter((one) => !startsWork.test(pathOf(one).join(' '))))
    for (const [input, args] of wrongCallsOf(command)) {
      received.length = 0;
      const { code } = await runAtStub(args);
      if (code === 2) expect([input, received]).toEqual([input, []]);
      else accepted.push(input);
    }
  expect(accepted).toEqual(freeTexts);
});

/** They would start a server or open a database. */
const startsWork = /^(serve|demo|migrate|backup|restore)$/;

/** Neither an identifier nor a name, a number or a time. */
const wrong = '..\n';

/** One call for each argument and option that takes a value. */
function wrongCallsOf(command: Command): readonly (readonly [input: string, args: readonly string[]])[] {
  const path = pathOf(command).join(' ');
  return [
    ...command.registeredArguments.map(
      (argument, position) => [`${path} ${argument.name()}`, callOf(command, position, wrong)] as const,
    ),
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .map(({ long }) => [`${path} ${long}`, [...callOf(command), `${long}`, wrong]] as const),
  ];
}

/** Texts for people, names of files, versions, and what the server alone checks. */
const freeTexts = [
  'preset list --search',
  'preset show --version',
  'preset push request.json',
  'preset push --note',
  'preset diff from',
  'preset diff to',
  'preset promote version',
  'preset rollback version',
  'preset label version',
  'preset edit --name',
  'preset edit --description',
  'case set case.json',
  'export --output',
  'import file',
  'import openai prompts.json',
  'calls --cursor',
  'workspace create slug',
  'workspace create --name',
  'workspace create --description',
  'workspace edit --name',
  'workspace edit --slug',
  'workspace edit --description',
  'workspace content-log --redact',
  'member list --search',
  'member import file',
  'audit --actor',
  'audit --kind',
  'audit --cursor',
];
