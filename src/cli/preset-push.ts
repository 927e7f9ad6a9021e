import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type ApiResponse, JsonText, type ResponseOf, type Route } from '../api/client.ts';
import { headerNames } from '../core/header-names.ts';
import { isJsonObject } from '../core/json/json-object.ts';
import { type Dialect, dialects } from '../core/presets/preset.ts';
import { oneLine } from '../core/text/printable.ts';
import type { ExtensionRequest } from '../dialects/presets/extension/schema.ts';
import { recognizeDialect } from '../dialects/recognize-dialect.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from './api-command.ts';
import { adviseIfOnlyLiveRefused, hintIfResponseLost } from './api-errors.ts';
import { CommandError, MisuseError } from './command-error.ts';
import { slugArgument } from './preset-reference.ts';
import { renderVersion } from './preset-versions.ts';
import { type JsonFile, readJsonFile } from './read-json-file.ts';
import { type Paint, paintForStdout, printStderr } from './ui/output.ts';

export function pushCommand(): Command {
  return apiCommandWithJson('push')
    .description('Save a request as a new version of a preset and make it live')
    .addArgument(slugArgument())
    .argument('<request.json>', 'Request body to save, or - for standard input')
    .addOption(
      new Option('--dialect <dialect>', 'API that the request is for (default: detected)').choices(dialects),
    )
    .option('--note <text>', 'What changed, shown in the list of versions')
    .option('--no-live', 'Save the version without making it live')
    .option('--dry-run', 'Show what would be saved and what ignored, without saving')
    .action(push);
}

const routes = {
  'chat-completions': 'POST /presets/:slug/chat/completions',
  messages: 'POST /presets/:slug/messages',
  responses: 'POST /presets/:slug/responses',
} as const satisfies Record<Dialect, Route>;

type Captured = ResponseOf<(typeof routes)[Dialect]>;

interface PushOptions extends ApiOptions {
  readonly dialect?: Dialect;
  readonly note?: string;
  /** False with `--no-live`. */
  readonly live: boolean;
  readonly dryRun?: true;
}

/**
 * The file is sent byte for byte, apart from what `--note` and `--no-live` add. Standard output
 * gets only `slug@version`, so that a script can use it; notices go to standard error, and with
 * `--json` they are dropped.
 */
async function push(slug: string, file: string, options: PushOptions): Promise<void> {
  const api = connect(options);
  const request = await readJsonFile(file);
  if (!isJsonObject(request.value)) throw new CommandError(`${request.name} must contain a JSON object.`);
  const dialect = options.dialect ?? detectDialect(request.name, request.value, options);
  const bytes = await withExtension(request, options);
  const send = (parameters: object) =>
    api
      .call(
        routes[dialect],
        { params: { slug }, body: new JsonText(bytes), ...parameters },
        // The idempotency key makes retries safe: no version is saved twice if a response was lost.
        { isIdempotent: true },
      )
      .catch(adviseIfOnlyLiveRefused('Add --no-live to save the version without making it live.'));
  const dryRun = { query: { dry_run: true } };
  if (options.live && !options.dryRun && !options.json) warn((await send(dryRun)).content);
  const sending = send(options.dryRun ? dryRun : { headers: { 'idempotency-key': randomUUID() } });
  const hint = `The version may have been saved anyway; check with "presetd preset events ${slug}".`;
  const response = await (options.dryRun ? sending : sending.catch(hintIfResponseLost(hint)));
  if (!options.json) warnAboutUnknownFields(response, dialect);
  const saved = savedVersion(response);
  if (!options.dryRun && !options.json) printStderr(describeSaved(response.content.data, saved));
  printResponse(
    options.dryRun ? response : withSavedVersion(response, saved),
    options,
    ({ data, ...rest }) => {
      const name = `${data.slug}@${saved}`;
      if (!options.dryRun) return name;
      const { designate = true, ...presetd } = extensionOf(bytes);
      return [
        `${name} would be saved${saved === 1 || designate ? ' and go live' : ', but not go live'}.`,
        ...(presetd.note === undefined ? [] : [`Note: ${oneLine(String(presetd.note))}`]),
        // The response has no `presetd` object, because OpenRouter's has none.
        renderVersion({ ...data.designated_version, presetd }, paintForStdout),
        renderWarnings(rest, paintForStdout),
        renderIgnoredFields(rest, paintForStdout),
      ]
        .filter((part) => part !== '')
        .join('\n\n');
    },
  );
}

/**
 * Adds the options to the `presetd` object of the request. Edits the text, because serializing the
 * body again could alter numbers.
 */
async function withExtension(
  { bytes, value }: JsonFile,
  { note, live }: PushOptions,
): Promise<Buffer<ArrayBuffer>> {
  const parts: readonly (readonly [path: readonly string[], value: unknown])[] = [
    // Null counts as absent, and cannot have fields.
    ...(isJsonObject(value) && value.presetd === null ? [[['presetd'], {}] as const] : []),
    ...(note === undefined ? [] : [[['presetd', 'note'], note] as const]),
    ...(live ? [] : [[['presetd', 'designate'], false] as const]),
  ];
  if (note === undefined && live) return bytes;
  const { applyEdits, modify } = await import('jsonc-parser');
  const text = parts.reduce(
    (text, [path, part]) => applyEdits(text, modify(text, [...path], part, {})),
    bytes.toString('utf8'),
  );
  return Buffer.from(text);
}

/** The `presetd` object of a request that the server has accepted. */
function extensionOf(bytes: Buffer): ExtensionRequest {
  const { presetd } = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  return presetd ?? {};
}

/** The number of the saved version, which differs from the live one if it did not go live. */
function savedVersion({ headers, content: { data } }: ApiResponse<Captured>): number {
  const [, number] = /@(\d+)$/.exec(headers.get(headerNames.preset) ?? '') ?? [];
  return number === undefined ? data.designated_version.version : Number(number);
}

/**
 * The body of the response has only the live version, so `--json` adds the number of the saved one.
 * Edits the text, because serializing it again could alter numbers.
 */
function withSavedVersion(response: ApiResponse<Captured>, saved: number): ApiResponse<Captured> {
  return { ...response, text: response.text.replace(/}\s*$/, `,"saved_version":${saved}}`) };
}

/** A body such as `{"model": "m"}` does not reveal its dialect; then the user has to choose. */
function detectDialect(name: string, body: object, { json }: PushOptions): Dialect {
  const dialect = recognizeDialect(body);
  if (dialect === undefined) {
    throw new MisuseError(
      `${name} does not reveal its dialect. Set --dialect to one of ${dialects.join(', ')}.`,
    );
  }
  // With --json, standard error is reserved for an error object.
  if (!json) printStderr(`Detected a ${dialect} request.`);
  return dialect;
}

/** Only a dry run says which calls a version breaks, and what else in it may be a mistake. */
function warn({ warnings = [] }: Omit<Captured, 'data'>): void {
  for (const { path, message } of warnings) printStderr(`Warning: ${oneLine(`${path} ${message}`)}.`);
}

/** Most likely misspelled. The server saves the rest, so this is a warning. */
function warnAboutUnknownFields({ headers }: ApiResponse<unknown>, dialect: Dialect): void {
  const ignored = headers.get(headerNames.ignoredFields);
  if (ignored === null) return;
  const names = oneLine(decodeURIComponent(ignored));
  printStderr(`Warning: ignored fields that ${dialect} does not have: ${names}.`);
}

function describeSaved(
  { slug, status, designated_version: { version } }: Captured['data'],
  saved: number,
): string {
  if (saved !== version)
    return `Version ${saved} is saved; version ${version} stays live. Make it live with "presetd preset promote ${oneLine(slug)} ${saved}".`;
  if (status === 'active') return `Version ${version} is live: calls to @preset/${oneLine(slug)} now use it.`;
  return `Version ${version} is live, but the preset is ${oneLine(status)}: calls to it fail until it is active.`;
}

/** Lists what is valid but most likely a mistake; empty if there is nothing. */
export function renderWarnings({ warnings = [] }: Omit<Captured, 'data'>, paint: Paint): string {
  if (warnings.length === 0) return '';
  const lines = warnings.map(({ path, message }) => `  ${oneLine(`${path} ${message}`)}`);
  return [paint('bold', 'Warnings'), ...lines].join('\n');
}

/**
 * Lists the request fields that a dry run would not save, with the server's reason for each. Empty
 * if everything is saved, or if the server is too old to say. The server caps the list and counts
 * the rest.
 */
export function renderIgnoredFields(
  { left_out = [], left_out_count = 0 }: Omit<Captured, 'data'>,
  paint: Paint,
): string {
  if (left_out.length === 0) return '';
  const unlisted = left_out_count - left_out.length;
  return [
    paint('bold', 'Ignored'),
    ...left_out.map(({ field, message }) => `  ${oneLine(field)}: ${oneLine(message)}`),
    ...(unlisted > 0 ? [`  and ${unlisted} more`] : []),
  ].join('\n');
}
