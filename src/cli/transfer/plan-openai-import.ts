import { isDeepStrictEqual } from 'node:util';
import { JsonText, type Route } from '../../api/client.ts';
import type { Preset } from '../../api/presets.ts';
import type { PresetVersionDetails } from '../../api/versions.ts';
import { parseExact } from '../../core/json/json-text.ts';
import { capturePreset } from '../../dialects/presets/capture-preset.ts';
import type { ApiClient } from '../api-client.ts';
import { CommandError, ifFound } from '../command-error.ts';
import { latestVersion } from '../preset-reference.ts';
import { citeFile, type OpenAiPromptRequest } from './openai-prompt-request.ts';
import type { OpenAiPrompt, OpenAiPromptVersion } from './openai-prompts.ts';

/** The effect of importing a prompt, found out without changing anything. */
export interface ImportPlan {
  readonly prompt: OpenAiPrompt;
  /** Undefined if no preset has the id of the prompt as its slug or alias. */
  readonly existing: ExistingPreset | undefined;
  /** The slug after the import. */
  readonly slug: string;
  /** The versions to save, in order; none if there is a conflict. */
  readonly missing: readonly OpenAiPromptVersion[];
  /** The change to the preset after that; undefined if there is none. */
  readonly edit: { readonly slug?: string; readonly name?: string } | undefined;
  readonly warnings: readonly string[];
  /** Why the prompt cannot be imported although it is valid. */
  readonly conflict: string | undefined;
  /** An error for each version that the server rejects. */
  readonly rejections: readonly CommandError[];
}

interface ExistingPreset {
  readonly slug: string;
  readonly name: string;
  readonly status: Preset['status'];
  readonly liveVersion: number;
  readonly latestVersion: number;
}

export const captureRoutes = {
  responses: 'POST /presets/:slug/responses',
  'chat-completions': 'POST /presets/:slug/chat/completions',
} as const satisfies Record<OpenAiPromptRequest['dialect'], Route>;

/**
 * Plans the import of all prompts of a file, in which names must not collide. A dry run by the
 * server checks each new version.
 */
export async function planImport(
  api: ApiClient,
  prompts: readonly OpenAiPrompt[],
): Promise<readonly ImportPlan[]> {
  const names = new Set(prompts.map(({ id }) => id));
  const plans: ImportPlan[] = [];
  for (const prompt of prompts) {
    const plan = await planPrompt(api, prompt, names);
    names.add(plan.slug);
    plans.push(plan);
  }
  return plans;
}

async function planPrompt(
  api: ApiClient,
  prompt: OpenAiPrompt,
  names: ReadonlySet<string>,
): Promise<ImportPlan> {
  const { id, versions } = prompt;
  const existing = await findPreset(api, id);
  const latest = existing?.latestVersion ?? 0;
  const differing = await findDiffering(
    api,
    id,
    versions.filter(({ version, isFilled }) => version <= latest && !isFilled),
  );
  const ownWarnings = new Set(
    [...versions.flatMap(({ warnings }) => warnings), ...warnIfInactive(existing)].map(
      (warning) => `${id} ${warning}`,
    ),
  );
  const plan: ImportPlan = {
    prompt,
    existing,
    slug: existing?.slug ?? id,
    missing: [],
    edit: undefined,
    warnings: [...ownWarnings],
    conflict: undefined,
    rejections: [],
  };
  if (differing.length > 0) return { ...plan, conflict: describeConflict(id, differing, latest) };
  const missing = versions.filter(({ version }) => version > latest);
  const { edit, warnings } = await planNaming(api, prompt, existing, names);
  const checks = await checkVersions(api, id, missing);
  return {
    ...plan,
    slug: edit?.slug ?? plan.slug,
    missing,
    edit,
    warnings: [...plan.warnings, ...warnings, ...checks.warnings],
    rejections: checks.rejections,
  };
}

async function findPreset(api: ApiClient, slug: string): Promise<ExistingPreset | undefined> {
  const found = await ifFound(api.call('GET /presets/:slug', { params: { slug } }));
  if (found === undefined) return undefined;
  const { name, status, designated_version, ...preset } = found.content.data;
  return {
    slug: preset.slug,
    name,
    status,
    liveVersion: designated_version.version,
    latestVersion: await latestVersion(api, found),
  };
}

function warnIfInactive(existing: ExistingPreset | undefined): readonly string[] {
  if (existing === undefined || existing.status === 'active') return [];
  return [`is ${existing.status} in presetd: calls to it fail until it is active`];
}

/** The numbers of the versions whose content is not that of the file. */
async function findDiffering(
  api: ApiClient,
  slug: string,
  versions: readonly OpenAiPromptVersion[],
): Promise<readonly number[]> {
  const differing: number[] = [];
  for (const { version, dialect, request } of versions) {
    const route = 'GET /presets/:slug/versions/:version';
    const { content } = await api.call(route, { params: { slug, version } });
    if (!isSameContent(content.data, dialect, request)) differing.push(version);
  }
  return differing;
}

function isSameContent(
  saved: PresetVersionDetails,
  dialect: OpenAiPromptRequest['dialect'],
  request: OpenAiPromptRequest['request'],
): boolean {
  const { config, systemPrompt, extension } = capturePreset(request, dialect);
  // Parsed like the response, so that numbers with many digits are equal.
  const captured = parseExact(
    JSON.stringify([dialect, config, systemPrompt, { ...extension, note: undefined }]),
  );
  // A note does not change what calls send.
  const { note: _note, ...presetd } = saved.presetd ?? {};
  return isDeepStrictEqual(captured, [saved.dialect, saved.config, saved.system_prompt, presetd]);
}

function describeConflict(id: string, differing: readonly number[], latest: number): string {
  const [what, has] = differing.length === 1 ? ['version', 'has'] : ['versions', 'have'];
  return `${what} ${differing.join(', ')} of ${id} ${has} other content in presetd, so this prompt is skipped. To add the content of the file, give it version ${latest + 1} there; see "If a version differs" in docs/openai-prompts.md.`;
}

/**
 * A preset is created under the id of its prompt, and then gets its name and slug in one step,
 * which makes the id an alias. One that still has neither is renamed when the file is imported
 * again, unless it is archived and cannot be changed.
 */
async function planNaming(
  api: ApiClient,
  { id, slug, name }: OpenAiPrompt,
  existing: ExistingPreset | undefined,
  names: ReadonlySet<string>,
): Promise<Pick<ImportPlan, 'edit' | 'warnings'>> {
  const isFinal =
    existing !== undefined &&
    (existing.slug !== id || existing.name !== id || existing.status === 'archived');
  if (isFinal || name === undefined || name === id) return { edit: undefined, warnings: [] };
  if (slug === id) return { edit: { name }, warnings: [] };
  const isTaken = names.has(slug) || (await findPreset(api, slug)) !== undefined;
  if (!isTaken) return { edit: { slug, name }, warnings: [] };
  return { edit: { name }, warnings: [`${id} has its id as slug, because another preset is called ${slug}`] };
}

/** Lets the server check the versions that the file has. */
async function checkVersions(
  api: ApiClient,
  slug: string,
  versions: readonly OpenAiPromptVersion[],
): Promise<Pick<ImportPlan, 'warnings' | 'rejections'>> {
  const warnings: string[] = [];
  const rejections: CommandError[] = [];
  for (const { version, isFilled, dialect, request, sources } of versions) {
    if (isFilled) continue;
    const body = new JsonText(JSON.stringify(request));
    try {
      const { content } = await api.call(
        captureRoutes[dialect],
        { params: { slug }, body, query: { dry_run: true } },
        { isIdempotent: true },
      );
      for (const { path, message } of content.warnings ?? [])
        warnings.push(`version ${version} of ${slug}: ${citeFile(path, sources)} ${message}`);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const subject = `version ${version} of ${slug}`;
      rejections.push(
        new CommandError(`V${subject.slice(1)} was rejected: ${citeFile(error.message, sources)}`, {
          ...error,
          issues: error.issues.map(({ path, message }) => ({
            path: citeFile(path, sources),
            message: `${message} (${subject})`,
          })),
          cause: error,
        }),
      );
    }
  }
  return { warnings, rejections };
}

/** Whether the server objects to the version itself. */
function isRejection(error: unknown): error is CommandError {
  return error instanceof CommandError && [400, 409, 413].includes(error.status ?? 0);
}
