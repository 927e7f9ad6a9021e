import { Command } from 'commander';
import { createCommand } from './key/create.ts';
import { currentCommand } from './key/current.ts';
import { deleteCommand } from './key/delete.ts';
import { disableCommand, enableCommand } from './key/disable.ts';
import { editCommand } from './key/edit.ts';
import { listCommand } from './key/list.ts';
import { rotateCommand } from './key/rotate.ts';
import { showCommand } from './key/show.ts';

export function keyCommand(): Command {
  return new Command('key')
    .description(
      'Manage API and management keys on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(currentCommand())
    .addCommand(createCommand())
    .addCommand(editCommand())
    .addCommand(rotateCommand())
    .addCommand(disableCommand())
    .addCommand(enableCommand())
    .addCommand(deleteCommand());
}
