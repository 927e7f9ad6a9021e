import { Argument, Command } from 'commander';
import { bashScript, zshScript } from './completion/bash-zsh.ts';
import { commandTree } from './completion/command-tree.ts';
import { fishScript } from './completion/fish.ts';

export const completionScripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Shell = keyof typeof completionScripts;

/** Takes a loader because the script lists every command, while `run` loads only the called one. */
export function completionCommand(loadAll: () => Promise<Command>): Command {
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'Shell to complete in').choices(Object.keys(completionScripts)))
    .addHelpText('after', installation)
    .action(async (shell: Shell) => {
      // Not through `print`: the text is our own, and escaping would break the script.
      process.stdout.write(completionScripts[shell](commandTree(await loadAll())));
    });
}

const installation = `
Install it, and repeat after each upgrade:

  bash  presetd completion bash > ~/.local/share/bash-completion/completions/presetd
  zsh   presetd completion zsh > "\${fpath[1]}/_presetd"
  fish  presetd completion fish > ~/.config/fish/completions/presetd.fish`;
