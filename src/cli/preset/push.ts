import { randomUUID } from 'node:crypto';
import { Argument, type Command, Option } from 'commander';
import type { One } from '../../client/answers.ts';
import type { LeftOut, Preset } from '../../client/preset-answers.ts';
import { oneLine } from '../../client/printable.ts';
import { type Dialect, dialects } from '../../core/preset.ts';
import { recognizeDialect } from '../../dialects/recognize-dialect.ts';
import type { ApiResponse } from '../api-client.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { NoResponseError } from '../api-errors.ts';
import { type CommandError, UsageError } from '../command-error.ts';
import { printStderr } from '../output.ts';
import { paintForStdout } from '../paint.ts';
import { parseSlug, presetPath } from './path.ts';
import { renderIgnoredFields } from './render-ignored-fields.ts';
import { renderVersion } from './render-preset.ts';
import { type RequestFile, readRequestFile } from './request-file.ts';

export function pushCommand(): Command {
  return apiCommandWithJson('push')
    .description('store a request as the next version of a new or existing preset, and make it live')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .argument('<request.json>', 'the body of a request that works, or - for standard input')
    .addOption(
      new Option('--dialect <dialect>', 'how it is written (default: as it looks)').choices(dialects),
    )
    .option('--dry-run', 'show what would be stored and what would be left out, and store nothing')
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

async function push(slug: string, file: string, options: PushOptions): Promise<void> {
  const api = connect(options);
  const request = await readRequestFile(file);
  const dialect = options.dialect ?? recognized(request, options);
  const answer = await api
    .send<One<Preset> & LeftOut>({
      method: 'POST',
      path: presetPath(slug, ...paths[dialect]),
      body: request.bytes,
      // The key makes a repetition the same request: a version that was stored unheard is not stored again.
      isIdempotent: true,
      ...(options.dryRun ? { query: { dry_run: 'true' } } : { headers: { 'idempotency-key': randomUUID() } }),
    })
    .catch((error: unknown) => {
      throw error instanceof NoResponseError && !options.dryRun ? perhapsStored(slug, error) : error;
    });
  if (!options.json) warnOfIgnoredFields(answer, dialect);
  if (!options.dryRun && !options.json) printStderr(describeLive(answer.content.data));
  printResponse(answer, options, ({ data, ...rest }) => {
    const name = `${data.slug}@${data.designated_version.version}`;
    if (!options.dryRun) return name;
    return [
      `${name} would be stored and go live.`,
      renderVersion(data.designated_version, paintForStdout),
      renderIgnoredFields(rest, paintForStdout),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  });
}

/** On standard error, so that scripts still read `slug@version` alone from standard output. */
function describeLive({ slug, status, designated_version: { version } }: Preset): string {
  if (status === 'active') return `Version ${version} is live: calls to @preset/${oneLine(slug)} use it now.`;
  return `Version ${version} is live, but the preset is ${oneLine(status)}: calls to it fail until it is active.`;
}

function perhapsStored(slug: string, error: NoResponseError): CommandError {
  const advice = `The version may have been stored all the same: "presetd preset events ${slug}" tells.`;
  return error.restated(`${error.message}\n${advice}`);
}

function recognized({ name, body }: RequestFile, { json }: PushOptions): Dialect {
  const dialect = recognizeDialect(body);
  if (dialect === undefined) {
    throw new UsageError(
      `It cannot be told how ${name} is written: say it with --dialect ${dialects.join(' or ')}.`,
    );
  }
  // With --json, standard error holds nothing but the error that may follow.
  if (!json) printStderr(`Recognized a ${dialect} request.`);
  return dialect;
}

function warnOfIgnoredFields({ headers }: ApiResponse<unknown>, dialect: Dialect): void {
  const ignored = headers.get('x-presetd-ignored-fields');
  if (ignored === null) return;
  const names = oneLine(decodeURIComponent(ignored));
  printStderr(`Warning: ${dialect} has no such fields, and they are not kept: ${names}.`);
}
