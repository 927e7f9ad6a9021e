import { Command } from 'commander';
import { addCommand } from './member/add.ts';
import { editCommand } from './member/edit.ts';
import { importCommand } from './member/import.ts';
import { listCommand } from './member/list.ts';
import { removeCommand } from './member/remove.ts';
import { showCommand } from './member/show.ts';

export function memberCommand(): Command {
  return new Command('member')
    .description(
      'Manage the members of the organization on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(addCommand())
    .addCommand(editCommand())
    .addCommand(removeCommand())
    .addCommand(importCommand());
}
