import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { JsonText } from '../../api/client.ts';
import { oneLine } from '../../core/text/printable.ts';
import type { ApiClient } from '../api-client.ts';
import { type ApiOptions, apiCommand, connect, printJson } from '../api-command.ts';
import { adviseIfOnlyLiveRefused } from '../api-errors.ts';
import { combineErrors, exitCodes } from '../command-error.ts';
import { readJsonFile } from '../read-json-file.ts';
import { print, printStderr } from '../ui/output.ts';
import { formatTable } from '../ui/table.ts';
import { pluralize } from '../ui/text.ts';
import { parseOpenAiPrompts } from './openai-prompts.ts';
import { captureRoutes, type ImportPlan, planImport } from './plan-openai-import.ts';

export function importOpenAiCommand(): Command {
  return apiCommand('openai')
    .description(
      'Import reusable OpenAI prompts, so that calls with their ids work here. docs/openai-prompts.md shows the file.',
    )
    .argument('<prompts.json>', 'File with one prompt or a list of them, or - for standard input')
    .option('--dry-run', 'Show what would be imported, without importing')
    .option('--json', 'Print the results as JSON')
    .action(importPrompts);
}

interface ImportOptions extends ApiOptions {
  readonly dryRun?: true;
}

/**
 * Everything is checked before anything is imported. Prompts that are already there are not
 * changed, and those with other content there are skipped, so it is safe to import a file again
 * after a failure or with more prompts in it. A failure midway ends the import; the results then
 * show how far it got.
 */
async function importPrompts(file: string, options: ImportOptions): Promise<void> {
  const api = connect(options);
  const { name, value } = await readJsonFile(file, notJsonAdvice);
  const plans = await planImport(api, parseOpenAiPrompts(value, name)).catch(adviseAboutLive);
  if (!options.json) printNotices(plans);
  const results = plans.map(initialResult);
  const rejections = plans.flatMap((plan) => plan.rejections);
  try {
    if (rejections.length > 0) throw combineErrors(rejections);
    for (const result of results.filter(({ outcome }) => outcome === 'skipped'))
      await (options.dryRun ? preview(result) : carryOut(api, result).catch(adviseAboutLive));
  } finally {
    printResults(results, options);
  }
  if (plans.some(({ conflict }) => conflict !== undefined)) process.exitCode = exitCodes.conflict;
}

/** Imported versions go live one after the other, so there is no option to avoid it. */
const adviseAboutLive = adviseIfOnlyLiveRefused('Ask a workspace admin to import the file.');

const notJsonAdvice =
  'If you copied JavaScript or Python, turn it into JSON first: see "Turn code into JSON" in docs/openai-prompts.md.';

function printNotices(plans: readonly ImportPlan[]): void {
  for (const warning of plans.flatMap(({ warnings }) => warnings))
    printStderr(`Warning: ${oneLine(warning)}.`);
  for (const { conflict } of plans) if (conflict !== undefined) printStderr(`Differs: ${conflict}`);
}

/** The first four are also outcomes of `POST /import`. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'conflict' | 'rejected' | 'failed' | 'skipped';

/** The progress of one prompt. */
interface Result {
  readonly plan: ImportPlan;
  outcome: Outcome;
  versionsAdded: number;
  /** Undefined if there is no preset. */
  liveVersion: number | undefined;
}

function initialResult(plan: ImportPlan): Result {
  const { conflict, rejections, missing, edit, existing } = plan;
  const isDone = missing.length === 0 && edit === undefined;
  const outcome =
    conflict !== undefined
      ? 'conflict'
      : rejections.length > 0
        ? 'rejected'
        : isDone
          ? 'unchanged'
          : 'skipped';
  return { plan, outcome, versionsAdded: 0, liveVersion: existing?.liveVersion };
}

function preview(result: Result): void {
  const { missing, existing } = result.plan;
  result.versionsAdded = missing.length;
  result.liveVersion = missing.at(-1)?.version ?? existing?.liveVersion;
  result.outcome = existing === undefined ? 'created' : 'updated';
}

async function carryOut(api: ApiClient, result: Result): Promise<void> {
  const { prompt, missing, edit, existing } = result.plan;
  const params = { slug: prompt.id };
  result.outcome = 'failed';
  for (const { dialect, request } of missing) {
    const { content } = await api.call(
      captureRoutes[dialect],
      {
        params,
        body: new JsonText(JSON.stringify(request)),
        headers: { 'idempotency-key': randomUUID() },
      },
      { isIdempotent: true },
    );
    result.versionsAdded += 1;
    result.liveVersion = content.data.designated_version.version;
  }
  if (edit !== undefined) await api.call('PATCH /presets/:slug', { params, body: edit });
  result.outcome = existing === undefined ? 'created' : 'updated';
}

function printResults(results: readonly Result[], { json, dryRun }: ImportOptions): void {
  if (json) printJson({ text: JSON.stringify({ data: results.map(toJson) }) });
  else print(renderResults(results, dryRun ?? false));
}

function renderResults(results: readonly Result[], isDryRun: boolean): string {
  const rows = results.map(({ plan, outcome, liveVersion }) => [
    plan.prompt.id,
    plan.slug,
    pluralize(plan.prompt.versions.length, 'version'),
    describeLive(liveVersion, plan.existing?.liveVersion),
    describeOutcome(outcome, isDryRun),
  ]);
  return formatTable(['PROMPT', 'PRESET', 'VERSIONS', 'LIVE', 'RESULT'], rows);
}

/** The shape is part of the interface for scripts; docs/openai-prompts.md describes it. */
function toJson({ plan, outcome, versionsAdded, liveVersion }: Result): object {
  return {
    id: plan.prompt.id,
    slug: plan.slug,
    outcome,
    versions_added: versionsAdded,
    live_version: liveVersion ?? null,
    warnings: plan.warnings,
    ...(plan.conflict !== undefined && { message: plan.conflict }),
  };
}

function describeLive(live: number | undefined, before: number | undefined): string {
  if (live === undefined) return '';
  return before === undefined || before === live ? String(live) : `${live} (was ${before})`;
}

function describeOutcome(outcome: Outcome, isDryRun: boolean): string {
  const changed = outcome === 'created' || outcome === 'updated';
  return `${changed && isDryRun ? 'would be ' : ''}${outcomeTexts[outcome]}`;
}

const outcomeTexts: Readonly<Record<Outcome, string>> = {
  created: 'imported',
  updated: 'updated',
  unchanged: 'already imported',
  conflict: 'differs',
  rejected: 'rejected',
  failed: 'failed',
  skipped: 'not imported',
};
