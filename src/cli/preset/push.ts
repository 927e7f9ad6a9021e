import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { One } from '../../client/answers.ts';
import type { LeftOut, Preset } from '../../client/preset-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { recognizeDialect } from '../../dialects/recognize-dialect.ts';
import type { ApiResponse } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { hintIfResponseLost } from '../api-errors.ts';
import { UsageError } from '../command-error.ts';
import { printStderr } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';
import { renderIgnoredFields } from './render-ignored-fields.ts';
import { renderVersion } from './render-preset.ts';
import { type RequestFile, readRequestFile } from './request-file.ts';

export function pushCommand(): Command {
  return apiCommandWithJson('push')
    .description('Save a request as a new version of a preset and make it live')
    .addArgument(slugArgument())
    .argument('<request.json>', 'Request body to save, or - for standard input')
    .addOption(
      new Option('--dialect <dialect>', 'API that the request is for (default: detected)').choices(dialects),
    )
    .option('--dry-run', 'Show what would be saved and what ignored, without saving')
    .action(push);
}

const paths: Readonly<Record<Dialect, readonly string[]>> = {
  'chat-completions': ['chat', 'completions'],
  messages: ['messages'],
  responses: ['responses'],
};

interface PushOptions extends ApiOptions {
  readonly dialect?: Dialect;
  readonly dryRun?: true;
}

/**
 * The file is sent byte for byte. Standard output gets only `slug@version`, so that a script can
 * use it; notices go to standard error, and with `--json` they are dropped.
 */
async function push(slug: string, file: string, options: PushOptions): Promise<void> {
  const api = connect(options);
  const request = await readRequestFile(file);
  const dialect = options.dialect ?? detectDialect(request, options);
  const sending = api.send<One<Preset> & LeftOut>({
    method: 'POST',
    path: presetPath(slug, ...paths[dialect]),
    body: request.bytes,
    // The idempotency key makes retries safe: a version whose response was lost is not saved twice.
    isIdempotent: true,
    ...(options.dryRun ? { query: { dry_run: 'true' } } : { headers: { 'idempotency-key': randomUUID() } }),
  });
  const hint = `The version may have been saved anyway; check with "presetd preset events ${slug}".`;
  const response = await (options.dryRun ? sending : sending.catch(hintIfResponseLost(hint)));
  if (!options.json) warnAboutUnknownFields(response, dialect);
  if (!options.dryRun && !options.json) printStderr(describeLive(response.content.data));
  printResponse(response, options, ({ data, ...rest }) => {
    const name = `${data.slug}@${data.designated_version.version}`;
    if (!options.dryRun) return name;
    return [
      `${name} would be saved and go live.`,
      renderVersion(data.designated_version, paintForStdout),
      renderIgnoredFields(rest, paintForStdout),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  });
}

function describeLive({ slug, status, designated_version: { version } }: Preset): string {
  if (status === 'active') return `Version ${version} is live: calls to @preset/${oneLine(slug)} now use it.`;
  return `Version ${version} is live, but the preset is ${oneLine(status)}: calls to it fail until it is active.`;
}

/** A body such as `{"model": "m"}` does not reveal its dialect; then the user has to choose. */
function detectDialect({ name, body }: RequestFile, { json }: PushOptions): Dialect {
  const dialect = recognizeDialect(body);
  if (dialect === undefined) {
    throw new UsageError(
      `${name} fits more than one dialect. Set --dialect to one of ${dialects.join(', ')}.`,
    );
  }
  // With --json, standard error is reserved for an error object.
  if (!json) printStderr(`Detected a ${dialect} request.`);
  return dialect;
}

/** Most likely misspelled. The server saves the rest, so this is a warning. */
function warnAboutUnknownFields({ headers }: ApiResponse<unknown>, dialect: Dialect): void {
  const ignored = headers.get('x-presetd-ignored-fields');
  if (ignored === null) return;
  const names = oneLine(decodeURIComponent(ignored));
  printStderr(`Warning: ignored fields that ${dialect} does not have: ${names}.`);
}
