import { Argument, Command } from 'commander';
import { bashScript, zshScript } from './completion/bash-zsh.ts';
import { commandTree } from './completion/command-tree.ts';
import { fishScript } from './completion/fish.ts';

export const completionScripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Shell = keyof typeof completionScripts;

/** The script lists every command, so that all of them have to be loaded first. */
export function completionCommand(loadAll: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .addHelpText('after', installation)
    .action(async (shell: Shell) => {
      // Unlike what a server sends, this is all our own, and a shell has to read it as it is.
      process.stdout.write(completionScripts[shell](commandTree(await loadAll())));
    });
}

const installation = `
Install, and repeat after each upgrade:

  bash  presetd completion bash > ~/.local/share/bash-completion/completions/presetd
  zsh   presetd completion zsh > "\${fpath[1]}/_presetd"
  fish  presetd completion fish > ~/.config/fish/completions/presetd.fish`;
