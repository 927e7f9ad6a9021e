import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { JsonText, type Route } from '../../api/client.ts';
import { oneLine } from '../../core/printable.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommand, connect } from '../api-command.ts';
import { CommandError } from '../command-error.ts';
import { readJsonFile } from '../read-json-file.ts';
import { print, printStderr } from '../ui/output.ts';
import { formatTable } from '../ui/table.ts';
import { pluralize } from '../ui/text.ts';
import { citeFile, type OpenAiPromptRequest } from './openai-prompt-request.ts';
import { type OpenAiPrompt, parseOpenAiPrompts } from './openai-prompts.ts';

export function importOpenAiCommand(): Command {
  return apiCommand('openai')
    .description(
      'Import reusable OpenAI prompts, so that calls with their ids work here. docs/openai-prompts.md shows the file.',
    )
    .argument('<prompts.json>', 'File with one prompt or a list of them, or - for standard input')
    .option('--dry-run', 'Show what would be imported, without importing')
    .action(importPrompts);
}

interface ImportOptions extends ApiOptions {
  readonly dryRun?: true;
}

/**
 * Prompts are imported one after the other. One that is already there is not changed, so that it is
 * safe to import a file again after a failure or with more prompts in it. The first failure ends
 * the import; the table then shows how far it came.
 */
async function importPrompts(file: string, options: ImportOptions): Promise<void> {
  const api = connect(options);
  const { name, value } = await readJsonFile(file, notJsonAdvice);
  const prompts = parseOpenAiPrompts(value, name);
  const outcomes: string[] = [];
  try {
    for (const prompt of prompts) {
      warn(prompt);
      outcomes.push(await importPrompt(api, prompt, options.dryRun ?? false));
    }
  } catch (error) {
    outcomes.push('failed');
    throw error;
  } finally {
    const rows = prompts.map(({ id, slug, versions }, index) => [
      id,
      slug,
      pluralize(versions.length, 'version'),
      outcomes[index] ?? 'not imported',
    ]);
    print(formatTable(['PROMPT', 'PRESET', 'VERSIONS', 'RESULT'], rows));
  }
}

const notJsonAdvice =
  'If you copied JavaScript or Python, turn it into JSON first: see "Turn code into JSON" in docs/openai-prompts.md.';

const captureRoutes = {
  responses: 'POST /presets/:slug/responses',
  'chat-completions': 'POST /presets/:slug/chat/completions',
} as const satisfies Record<OpenAiPromptRequest['dialect'], Route>;

async function importPrompt(api: ApiClient, prompt: OpenAiPrompt, isDryRun: boolean): Promise<string> {
  const { id, slug, name, versions } = prompt;
  const existing = await countVersions(api, id);
  const missing = versions.filter(({ version }) => version > existing);
  if (missing.length === 0) return 'already imported';
  if (existing === 0 && slug !== id && (await countVersions(api, slug)) > 0)
    throw new CommandError(
      `${id} cannot be imported as "${slug}": there is a preset of that name. Change its "name" in the file. If an import was interrupted, run "presetd preset alias ${slug} ${id}" and import again.`,
      { kind: 'conflict' },
    );
  for (const { version, dialect, request, sources } of missing) {
    const isFirst = version === 1;
    const { content } = await api
      .call(
        captureRoutes[dialect],
        {
          params: { slug: isFirst || isDryRun ? slug : id },
          body: new JsonText(Buffer.from(JSON.stringify(request))),
          ...(isDryRun ? { query: { dry_run: true } } : { headers: { 'idempotency-key': randomUUID() } }),
        },
        { isIdempotent: true },
      )
      .catch((error: unknown) => {
        throw error instanceof CommandError
          ? error.restated(`Version ${version} of ${id} was rejected: ${citeFile(error.message, sources)}`)
          : error;
      });
    for (const { path, message } of content.warnings ?? [])
      printStderr(`Warning: version ${version} of ${id}: ${citeFile(path, sources)} ${message}.`);
    // Before the other versions, so that an import that fails can be continued.
    if (isFirst && !isDryRun) await namePreset(api, slug, id, name);
  }
  if (isDryRun) return 'would be imported';
  return existing === 0 ? 'imported' : 'updated';
}

/** A new preset is named after its slug, and found only by it. */
async function namePreset(api: ApiClient, slug: string, id: string, name: string | undefined): Promise<void> {
  if (slug !== id) await api.call('PUT /presets/:slug/aliases/:alias', { params: { slug, alias: id } });
  if (name !== undefined && name !== slug)
    await api.call('PATCH /presets/:slug', { params: { slug }, body: { name } });
}

/** How many versions a preset has, found by slug or alias; 0 if there is no such preset. */
async function countVersions(api: ApiClient, slug: string): Promise<number> {
  try {
    const query = { limit: 1 };
    const { content } = await api.call('GET /presets/:slug/versions', { params: { slug }, query });
    return content.total_count;
  } catch (error) {
    if (error instanceof CommandError && error.kind === 'not_found') return 0;
    throw error;
  }
}

function warn({ id, versions }: OpenAiPrompt): void {
  for (const warning of new Set(versions.flatMap(({ warnings }) => warnings)))
    printStderr(`Warning: ${id} ${oneLine(warning)}.`);
}
