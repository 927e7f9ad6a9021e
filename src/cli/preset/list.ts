import { type Command, Option } from 'commander';
import type { Page } from '../../client/answers.ts';
import type { PresetSummary } from '../../client/preset-answers.ts';
import { presetStatuses } from '../../core/presets/preset.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { type PageOptions, withPageOptions } from '../page-options.ts';
import { shortTime } from '../short-time.ts';
import { describePage, formatTable } from '../table.ts';

export function listCommand(): Command {
  return withPageOptions(apiCommandWithJson('list'))
    .description('List presets, most recently changed first')
    .addOption(
      new Option('--status <status>', 'Only presets with this status (default: all but archived)').choices([
        ...presetStatuses,
        'all',
      ]),
    )
    .option(
      '--search <text>',
      'Only presets whose slug, name or description has words starting with this text',
    )
    .action(list);
}

interface ListOptions extends ApiOptions, PageOptions {
  readonly status?: string;
  readonly search?: string;
}

/** The VERSION column shows the live version and the number of versions. */
async function list(options: ListOptions): Promise<void> {
  const { status, search, limit, offset } = options;
  const query = { status, q: search, limit, offset };
  const response = await connect(options).send<Page<PresetSummary>>({ path: '/presets', query });
  printResponse(response, options, (page) => renderList(page, offset));
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
    formatLabels(preset.labels),
    preset.name,
  ]);
  return [
    formatTable(['SLUG', 'STATUS', 'VERSION', 'UPDATED', 'LABELS', 'NAME'], rows),
    describePage(offset, rows.length, total, isTotalExact),
  ].join('\n');
}

/** Keeps rows readable: a preset may have many labels, and each may be 63 characters long. */
const labelColumnWidthMax = 40;

/** As many labels as fit, then the number of the others: "production=2 staging=3 +97". */
function formatLabels(labels: PresetSummary['labels']): string {
  const all = Object.entries(labels).map(([label, version]) => `${label}=${version}`);
  const firstLabels = (count: number) =>
    [...all.slice(0, count), ...(count < all.length ? [`+${all.length - count}`] : [])].join(' ');
  let count = all.length;
  while (count > 0 && firstLabels(count).length > labelColumnWidthMax) count -= 1;
  return firstLabels(count);
}
