import { type Command, Option } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { PresetSummary } from '../../client/preset-answers.ts';
import { presetStatuses } from '../../core/preset.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { parseCount, parsePageLimit } from '../count-option.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';

export function listCommand(): Command {
  return apiCommandWithJson('list')
    .description('list presets, the latest change first')
    .addOption(
      new Option('--status <status>', 'which ones (default: all but archived)').choices([
        ...presetStatuses,
        'all',
      ]),
    )
    .option(
      '--search <text>',
      'only presets whose slug, name or description has words starting with this text',
    )
    .option('--limit <count>', 'how many', parsePageLimit, 50)
    .option('--offset <count>', 'how many to skip', parseCount, 0)
    .action(list);
}

interface ListOptions extends ApiOptions {
  readonly status?: string;
  readonly search?: string;
  readonly limit: number;
  readonly offset: number;
}

async function list(options: ListOptions): Promise<void> {
  const { status, search, limit, offset } = options;
  const query = { status, q: search, limit, offset };
  const answer = await connect(options).send<Page<PresetSummary>>({ path: '/presets', query });
  printResponse(answer, options, (page) => renderList(page, offset));
}

export function renderList(
  { data, total_count: total, total_count_exact: isTotalExact }: Page<PresetSummary>,
  offset: number,
): string {
  const rows = data.map((preset) => [
    preset.slug,
    preset.status,
    `${preset.designated_version_number} of ${preset.latest_version}`,
    shortTime(preset.updated_at),
    shownLabels(preset.labels),
    preset.name,
  ]);
  return [
    formatTable(['SLUG', 'STATUS', 'VERSION', 'UPDATED', 'LABELS', 'NAME'], rows),
    describePage(offset, rows.length, total, isTotalExact),
  ].join('\n');
}

const labelPlacesMax = 40;

/** As many labels as fit, and how many there are besides: "production=2 staging=3 +97". */
function shownLabels(labels: PresetSummary['labels']): string {
  const all = Object.entries(labels).map(([label, version]) => `${label}=${version}`);
  const textOf = (count: number) =>
    [...all.slice(0, count), ...(count < all.length ? [`+${all.length - count}`] : [])].join(' ');
  let count = all.length;
  while (count > 0 && textOf(count).length > labelPlacesMax) count -= 1;
  return textOf(count);
}
