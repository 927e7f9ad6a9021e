import type { CommandNode, OptionNode, Values } from './command-tree.ts';

/** One line for each command, option and argument, with the place it belongs to as its condition. */
export function fishScript(tree: readonly CommandNode[]): string {
  const commands = tree.slice(1).map(({ path }) => path);
  const valued = tree.flatMap(({ path, options }) =>
    options.flatMap(({ flags, values }) =>
      values === undefined ? [] : flags.map((flag) => `${path} ${flag}`),
    ),
  );
  return `# fish completion for presetd, written by "presetd completion fish"
# The command that is being typed and the position of its next argument: "presetd preset push:1".
function __presetd_place
    set -l at presetd
    set -l position 0
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at $word"
            case ${commands.map(quote).join(' ')}
                set at "$at $word"
            case ${valued.map(quote).join(' ')}
                set skip 1
            case '* -*'
            case '*'
                set position (math $position + 1)
        end
    end
    echo "$at:$position"
end

function __presetd_at
    string match -q -- $argv[1] (__presetd_place)
end

complete -c presetd -e
complete -c presetd -f
${tree.flatMap(linesOf).join('\n')}
`;
}

function linesOf(node: CommandNode): readonly string[] {
  const { path, subcommands, options } = node;
  return [
    ...subcommands.map(({ name, description }) =>
      line(`${path}:0`, `-a ${quote(name)} -d ${quote(description)}`),
    ),
    ...options.map((option) => line(`${path}:*`, optionOf(option))),
    ...node.arguments.flatMap((values, position) =>
      values === 'any' ? [] : [line(`${path}:${position}`, offer(values))],
    ),
  ];
}

function line(place: string, what: string): string {
  return `complete -c presetd -n ${quote(`__presetd_at ${quote(place)}`)} ${what}`;
}

function optionOf({ flags, description, values }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const value = values === undefined ? [] : [values === 'files' ? '-r -F' : `-x ${offer(values)}`.trim()];
  return [...names, ...value, `-d ${quote(description)}`].join(' ');
}

function offer(values: Values): string {
  if (values === 'files') return '-F';
  return values === 'any' ? '' : `-a ${quote(values.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
