import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, Command, Option } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandNode, commandTree } from './command-tree.ts';
import { completionScripts } from './completion.ts';
import { loadProgram } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'presetd-completion-'));
let tree: readonly CommandNode[];

beforeAll(async () => {
  tree = commandTree(await loadProgram(() => true));
  writeFileSync(join(folder, 'a request.json'), '{}');
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(join(folder, `script.${shell}`), completionScripts[shell](tree));
});
afterAll(() => rmSync(folder, { recursive: true }));

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

const scriptOf = (shell: string) => join(folder, `script.${shell}`);

/** Completes a command line in each shell. The last word is being typed. */
const offers: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash(words) {
    // Bash passes "=" as a separate word.
    const split = words
      .flatMap((word) => word.split(/(=)/))
      .filter((word, index) => word !== '' || index > 0);
    const typed = split.at(-1) === '' && split.at(-2) === '=' ? split.slice(0, -1) : split;
    return linesOf('bash', [
      '--norc',
      '-c',
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _presetd; printf '%s\\n' "\${COMPREPLY[@]}"`,
      scriptOf('bash'),
      ...typed,
    ]);
  },
  zsh(words) {
    // The completion system needs a terminal, so the functions that the script calls are stubbed.
    const script = `
      compdef() { }
      compset() { prefix=\${words[CURRENT]%%=*}=; words[CURRENT]=\${words[CURRENT]#*=} }
      _files() { print -rl -- *(N) }
      _describe() { print -rl -- "\${(@)candidates%%:*}" | grep -e "^\${words[CURRENT]}" || true }
      source "$0"; words=("$@"); CURRENT=$#; _presetd`;
    return linesOf('zsh', ['-f', '-c', script, scriptOf('zsh'), ...words]);
  },
  fish: (words) =>
    linesOf('fish', [
      '--no-config',
      '-c',
      `source ${scriptOf('fish')}; complete -C '${words.join(' ')}'`,
    ]).map((line) => line.replace(/\t.*/, '').replace(/^--\w+=/, '')),
};

function linesOf(program: string, args: readonly string[]): readonly string[] {
  const output = execFileSync(program, args, { cwd: folder, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
}

// Every machine that runs these tests has bash; the other shells are tested if they are installed.
describe.each(Object.keys(offers).filter((shell) => shell === 'bash' || has(shell)))(
  'completion in %s',
  (shell) => {
    const offered = (line: string) => [...(offers[shell]?.(line.split(' ')) ?? [])].sort();
    const files = () => ['a request.json', 'script.bash', 'script.fish', 'script.zsh'];

    it.each([
      ['presetd pre', ['preset']],
      ['presetd preset re', ['rename', 'restore']],
      ['presetd preset list --st', ['--status']],
      ['presetd preset list --status a', ['active', 'all', 'archived']],
      ['presetd preset list --status=ar', ['archived']],
      ['presetd preset push slug.x --dialect m', ['messages']],
      ['presetd completion ', ['bash', 'fish', 'zsh']],
      ['presetd help work', ['workspace']],
      ['presetd preset help ver', ['versions']],
      ['presetd preset push ', []],
      ['presetd preset list --limit ', []],
      ['presetd frobnicate ', []],
    ])('%j offers %j', (line, words) => {
      expect(offered(line)).toEqual(words);
    });

    it.each([
      'presetd preset push my-slug ',
      'presetd preset push --dialect messages my-slug ',
      'presetd export --output ',
      'presetd import openai ',
    ])('%j offers files', (line) => {
      expect(offered(line)).toEqual(files());
    });

    it('"presetd import " offers files and subcommands', () => {
      expect(offered('presetd import ')).toEqual([...files(), 'help', 'openai'].sort());
    });

    it('completion offers every command', () => {
      const commands = tree[0]?.subcommands.map(({ name }) => name) ?? [];
      expect(commands).toContain('preset');
      expect(offered('presetd ')).toEqual([...commands].sort());
    });
  },
);

describe.each(['bash', 'zsh', 'fish'] as const)('the %s script', (shell) => {
  it('the completion script contains every command and option', () => {
    const script = completionScripts[shell](tree);
    expect(tree.length).toBeGreaterThan(40);
    for (const { path, options } of tree.slice(1)) {
      expect(script).toContain(`'${path}'`);
      for (const { flags } of options)
        for (const flag of flags.filter((name) => name.startsWith('--')))
          expect(script).toContain(shell === 'fish' ? ` -l ${flag.slice(2)} ` : `'${flag}:`);
    }
  });

  it('the completion script escapes characters that the shell would interpret', () => {
    const odd = `it's $HOME \\ "and" \`more\``;
    const program = new Command('presetd').addCommand(
      new Command('x').description(odd).option('--y <z>', odd),
    );
    writeFileSync(scriptOf('odd'), completionScripts[shell](commandTree(program)));
    const quoted = shell === 'fish' ? String.raw`it\'s $HOME \\ "and"` : String.raw`it'\''s $HOME \ "and"`;
    expect(completionScripts[shell](commandTree(program))).toContain(quoted);
    if (has(shell)) expect(spawnSync(shell, ['-n', scriptOf('odd')]).status).toBe(0);
  });
});

it('the command tree distinguishes choices, files and free values', () => {
  const program = new Command('p').addCommand(
    new Command('c')
      .addArgument(new Argument('<kind>').choices(['a', 'b']))
      .argument('<request.json>')
      .argument('[name]')
      .addOption(new Option('-s, --size <size>').choices(['s', 'm']))
      .option('--output <file>', 'where to')
      .option('--name <text>')
      .option('--all')
      .addOption(new Option('--secret').hideHelp()),
  );
  const [, node] = commandTree(program);
  expect(node).toMatchObject({ path: 'p c', arguments: [['a', 'b'], 'files', 'any'] });
  expect(node?.options.map(({ flags, values }) => [flags, values])).toEqual([
    [
      ['-s', '--size'],
      ['s', 'm'],
    ],
    [['--output'], 'files'],
    [['--name'], 'any'],
    [['--all'], undefined],
    [['-h', '--help'], undefined],
  ]);
});
