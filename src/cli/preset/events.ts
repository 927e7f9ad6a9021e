import { Argument, type Command } from 'commander';
import { type ApiOptions, apiAnswerCommand, connect, printAnswer } from '../api-command.ts';
import { parseCount, parsePageLimit } from '../count-option.ts';
import { clip, oneLine } from '../printable.ts';
import { describePage, formatTable } from '../table.ts';
import type { Page, PresetEvent } from './answers.ts';
import { parseSlug, presetPath } from './path.ts';
import { shortTime } from './short-time.ts';

export function eventsCommand(): Command {
  return apiAnswerCommand('events')
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
  printAnswer(answer, options, (page) => renderEvents(page, offset));
}

export function renderEvents({ data, total_count }: Page<PresetEvent>, offset: number): string {
  const rows = data.map((event) => [
    String(event.number),
    shortTime(event.created_at),
    event.kind.replace(/^preset\./, ''),
    event.actor_email ?? '',
    event.key_label ?? '',
    describeChange(event.before ?? {}, event.after ?? {}),
  ]);
  return [
    formatTable(['#', 'TIME', 'WHAT', 'WHO', 'KEY', 'CHANGE'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}

type Facts = Readonly<Record<string, unknown>>;

/** "label production, version 1 → 2": what a change is about, and what it was before where it differs. */
function describeChange(before: Facts, after: Facts): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((name) => {
      const sides = [before, after]
        .filter((side) => Object.hasOwn(side, name))
        .map((side) => shown(side[name]));
      return `${name.replaceAll('_', ' ')} ${[...new Set(sides)].join(' → ')}`;
    })
    .join(', ');
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  return clip(oneLine(typeof value === 'string' ? value : JSON.stringify(value)), 60);
}
