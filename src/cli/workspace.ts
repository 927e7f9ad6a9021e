import { Command } from 'commander';
import { createCommand } from './workspace/create.ts';
import { deleteCommand } from './workspace/delete.ts';
import { editCommand } from './workspace/edit.ts';
import { listCommand } from './workspace/list.ts';
import { addMemberCommand, membersCommand, removeMemberCommand } from './workspace/members.ts';
import { showCommand } from './workspace/show.ts';

export function workspaceCommand(): Command {
  return new Command('workspace')
    .description(
      'Manage workspaces and their members on the server at PRESETD_URL, with the key in PRESETD_MANAGEMENT_KEY',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(createCommand())
    .addCommand(editCommand())
    .addCommand(deleteCommand())
    .addCommand(membersCommand())
    .addCommand(addMemberCommand())
    .addCommand(removeMemberCommand());
}
