import type { Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { PresetEvent } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { formatEventChange } from '../format-event-change.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';

/** Reads the preset's own events, which an API key may see; `audit` needs a management key. */
export function eventsCommand(): Command {
  return withPageOptions(apiCommandWithJson('events'))
    .description('List the history of a preset, newest first')
    .addArgument(slugArgument())
    .action(events);
}

async function events(slug: string, options: ApiOptions & PageOptions): Promise<void> {
  const { limit, offset } = options;
  const path = presetPath(slug, 'events');
  const response = await connect(options).send<Page<PresetEvent>>({ path, query: { limit, offset } });
  printResponse(response, options, (page) => renderEvents(page, offset));
}

export function renderEvents({ data, total_count }: Page<PresetEvent>, offset: number): string {
  const rows = data.map((event) => [
    String(event.number),
    shortTime(event.created_at),
    // Every kind here starts with "preset.".
    event.kind.replace(/^preset\./, ''),
    event.actor_email ?? '',
    event.key_label ?? '',
    formatEventChange(event.before, event.after),
  ]);
  return [
    formatTable(['#', 'TIME', 'EVENT', 'ACTOR', 'KEY', 'CHANGE'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}
