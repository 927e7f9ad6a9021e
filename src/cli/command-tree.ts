import type { Argument, Command, Option } from 'commander';

/**
 * The commands as data, read from Commander's help. The completion scripts are generated from this
 * tree, so they cannot drift from the commands themselves.
 */

/** The valid input at one position: one of a few words, a file name, or anything. */
export type Values = readonly string[] | 'files' | 'any';

export interface Candidate {
  readonly name: string;
  readonly description: string;
}

export interface OptionNode {
  /** The short and the long form, such as `-h` and `--help`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a flag that takes no value. */
  readonly values: Values | undefined;
}

export interface CommandNode {
  /** The full command as typed, such as `presetd preset list`. */
  readonly path: string;
  readonly subcommands: readonly Candidate[];
  readonly options: readonly OptionNode[];
  /** By position. */
  readonly arguments: readonly Values[];
}

/**
 * Lists the command itself, then its subcommands recursively. Options hidden from the help are
 * omitted.
 */
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
  // "help" accepts the name of any sibling command.
  const helpNode = { path: `${path} help`, subcommands: [], options: [], arguments: [commandNames(node)] };
  const nodes = command.commands.flatMap((child) => commandTree(child, path));
  return [node, ...nodes, ...(children.length > 0 ? [helpNode] : [])];
}

function commandNames({ subcommands }: Pick<CommandNode, 'subcommands'>): readonly string[] {
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

/**
 * The placeholder tells files apart: `<file>` and `<request.json>`. Other values are known only to
 * the server.
 */
function choicesOr(choices: readonly string[] | undefined, placeholder: string): Values {
  return choices ?? (/(\bfile\b|\.json\b)/.test(placeholder) ? 'files' : 'any');
}
