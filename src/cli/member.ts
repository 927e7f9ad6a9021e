import { Command } from 'commander';
import { addCommand } from './member/add.ts';
import { editCommand } from './member/edit.ts';
import { importCommand } from './member/import.ts';
import { listCommand } from './member/list.ts';
import { removeCommand } from './member/remove.ts';
import { showCommand } from './member/show.ts';

export function memberCommand(): Command {
  return new Command('member')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(editCommand())
    .addCommand(removeCommand())
    .addCommand(importCommand());
}
