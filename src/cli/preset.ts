import { Command } from 'commander';
import { archiveCommand } from './preset/archive.ts';
import { diffCommand } from './preset/diff.ts';
import { editCommand } from './preset/edit.ts';
import { eventsCommand } from './preset/events.ts';
import { labelCommand } from './preset/label.ts';
import { listCommand } from './preset/list.ts';
import { pushCommand } from './preset/push.ts';
import { restoreCommand } from './preset/restore.ts';
import { rollbackCommand } from './preset/rollback.ts';
import { showCommand } from './preset/show.ts';
import { versionsCommand } from './preset/versions.ts';

export function presetCommand(): Command {
  return new Command('preset')
    .description('Manage presets on the server at PRESETD_URL, with the key in PRESETD_API_KEY')
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(versionsCommand())
    .addCommand(pushCommand())
    .addCommand(diffCommand())
    .addCommand(rollbackCommand())
    .addCommand(labelCommand())
    .addCommand(editCommand())
    .addCommand(archiveCommand())
    .addCommand(restoreCommand())
    .addCommand(eventsCommand());
}
