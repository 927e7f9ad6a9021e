import type { Argument, Command, Option } from 'commander';

/** What may stand in one place of the command line: fixed words, files, or anything. */
export type Values = readonly string[] | 'files' | 'any';

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface OptionNode {
  /** Such as `-h` and `--help`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for an option without a value. */
  readonly values: Values | undefined;
}

export interface CommandNode {
  /** As it is typed, such as `presetd preset list`. */
  readonly path: string;
  readonly subcommands: readonly Described[];
  readonly options: readonly OptionNode[];
  /** By position. */
  readonly arguments: readonly Values[];
}

/** Every command with what can follow it, as far as its help shows it. */
export function commandTree(command: Command, parent = ''): readonly CommandNode[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const path = `${parent} ${command.name()}`.trim();
  const node = {
    path,
    subcommands: children.map((child) => ({
      name: child.name(),
      description: help.subcommandDescription(child),
    })),
    options: help.visibleOptions(command).map(optionNode),
    arguments: command.registeredArguments.map(valuesOf),
  };
  // "help" takes the name of any command beside it.
  const helpNode = { path: `${path} help`, subcommands: [], options: [], arguments: [names(node)] };
  const nodes = command.commands.flatMap((child) => commandTree(child, path));
  return [node, ...nodes, ...(children.length > 0 ? [helpNode] : [])];
}

function names({ subcommands }: Pick<CommandNode, 'subcommands'>): readonly string[] {
  return subcommands.map(({ name }) => name).filter((name) => name !== 'help');
}

function optionNode(option: Option): OptionNode {
  const takesValue = option.required || option.optional;
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    values: takesValue ? choicesOr(option.argChoices, option.flags) : undefined,
  };
}

function valuesOf(argument: Argument): Values {
  return choicesOr(argument.argChoices, argument.name());
}

/** `<file>` and `<request.json>` are files; of anything else without choices only the server knows what there is. */
function choicesOr(choices: readonly string[] | undefined, placeholder: string): Values {
  return choices ?? (/(\bfile\b|\.json\b)/.test(placeholder) ? 'files' : 'any');
}
