import { Argument, type Command } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { PresetEvent } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { parseCount, parsePageLimit } from '../count-option.ts';
import { formatEventChange } from '../format-event-change.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';
import { parseSlug, presetPath } from './path.ts';

export function eventsCommand(): Command {
  return apiCommandWithJson('events')
    .description('list what happened to a preset and who did it, the latest first')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .option('--limit <count>', 'how many', parsePageLimit, 50)
    .option('--offset <count>', 'how many to skip', parseCount, 0)
    .action(events);
}

interface EventsOptions extends ApiOptions {
  readonly limit: number;
  readonly offset: number;
}

async function events(slug: string, options: EventsOptions): Promise<void> {
  const { limit, offset } = options;
  const path = presetPath(slug, 'events');
  const answer = await connect(options).send<Page<PresetEvent>>({ path, query: { limit, offset } });
  printResponse(answer, options, (page) => renderEvents(page, offset));
}

export function renderEvents({ data, total_count }: Page<PresetEvent>, offset: number): string {
  const rows = data.map((event) => [
    String(event.number),
    shortTime(event.created_at),
    event.kind.replace(/^preset\./, ''),
    event.actor_email ?? '',
    event.key_label ?? '',
    formatEventChange(event.before, event.after),
  ]);
  return [
    formatTable(['#', 'TIME', 'WHAT', 'WHO', 'KEY', 'CHANGE'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}
