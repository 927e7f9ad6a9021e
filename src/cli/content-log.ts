import { type Command, InvalidArgumentError } from 'commander';
import type { ContentLog } from '../api/workspaces.ts';
import { definedFields } from '../core/json/defined-fields.ts';
import { oneLine } from '../core/text/printable.ts';
import {
  connectToOrganization,
  organizationCommand,
  printResponse,
  type ServerOptions,
} from './api-command.ts';
import { MisuseError } from './command-error.ts';
import { parseCount, repeated, workspaceArgument } from './options.ts';
import { type Paint, paintForStdout } from './ui/output.ts';
import { renderKeyValueList } from './ui/table.ts';

/** Shows the settings of a workspace's content log, or changes those that are given. */
export function contentLogCommand(): Command {
  return organizationCommand('content-log')
    .description('Show or change whether a workspace logs the requests and responses of its calls')
    .addArgument(workspaceArgument())
    .option('--on', 'Log the content of calls from now on')
    .option('--off', 'Stop; what is stored stays until its retention ends')
    .option('--sampling <rate>', 'Share of calls, from 0.0001 to 1', parseRate)
    .option('--days <days>', 'How long content is stored', parseCount)
    .option('--bytes <bytes>', 'Size of what is stored of one call', parseCount)
    .option(
      '--redact <pattern>',
      'Regular expression whose matches are removed; repeatable, replaces all; "" for none',
      repeated((text) => text),
    )
    .action(contentLog);
}

interface ContentLogOptions extends ServerOptions {
  readonly on?: boolean;
  readonly off?: boolean;
  readonly sampling?: number;
  readonly days?: number;
  readonly bytes?: number;
  readonly redact?: readonly string[];
}

async function contentLog(workspace: string, options: ContentLogOptions): Promise<void> {
  const { on, off, sampling, days, bytes, redact } = options;
  if (on && off) throw new MisuseError('Choose --on or --off.');
  const changes = definedFields({
    enabled: on ? true : off ? false : undefined,
    sampling_rate: sampling,
    retention_days: days,
    bytes_max: bytes,
    redaction_patterns: redact?.filter((pattern) => pattern !== ''),
  });
  const api = connectToOrganization(options);
  const params = { id: workspace };
  const response =
    Object.keys(changes).length === 0
      ? await api.call('GET /workspaces/:id/content-log', { params })
      : await api.call('PATCH /workspaces/:id/content-log', { params, body: changes });
  printResponse(response, options, ({ data }) => renderContentLog(workspace, data, paintForStdout));
}

function renderContentLog(workspace: string, settings: ContentLog, paint: Paint): string {
  const { enabled, sampling_rate, retention_days, bytes_max, redaction_patterns } = settings;
  const [pattern = 'none', ...others] = redaction_patterns.map(oneLine);
  return renderKeyValueList(
    workspace,
    [
      ['content log', enabled ? 'on' : 'off'],
      ['sampling', `${Number((sampling_rate * 100).toFixed(2))}% of calls`],
      ['retention', retention_days === 1 ? '1 day' : `${retention_days} days`],
      ['size', `${Number((bytes_max / 1_024).toFixed(1))} KiB per call`],
      ['redaction', pattern],
      ...others.map((each) => ['', each] as const),
    ],
    paint,
  );
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (text.trim() !== '' && rate >= 0.0001 && rate <= 1) return rate;
  throw new InvalidArgumentError('Must be from 0.0001 to 1.');
}
