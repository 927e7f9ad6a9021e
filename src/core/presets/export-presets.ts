import { yieldToEventLoop } from '../concurrency/cooperative-scheduler.ts';
import type { WorkspaceAddress } from '../organization/workspace.ts';
import { unknownWorkspace } from '../organization/workspace-access.ts';
import type { Storage } from '../storage.ts';
import { streamCases } from './cases.ts';
import type { Draft } from './draft.ts';
import {
  type CaseReference,
  exportFormat,
  type PresetCase,
  type PresetState,
  type PresetVersion,
} from './preset.ts';
import { streamBatches } from './stream-batches.ts';

const presetsPerPage = 100;

/** The stores that exports read and imports write. */
export type TransferStores = Pick<Storage, 'presets' | 'cases' | 'drafts'>;

/**
 * Yields every preset of a workspace with its versions, labels, aliases and cases, and the draft
 * that `draftsOf`, if given, has of it, as lines of JSON in slug order.
 *
 * An export contains no ids and no users, so it can be imported on another server. It is streamed
 * and never held in memory as a whole. Each preset is still consistent, because versions and states
 * of cases are immutable. Throws `not_found` if there is no such workspace.
 */
export async function* exportPresets(
  stores: TransferStores,
  workspace: WorkspaceAddress,
  draftsOf: string | undefined,
): AsyncGenerator<string> {
  const { presets, cases, drafts } = stores;
  const all = { statuses: ['active', 'disabled', 'archived'], words: undefined } as const;
  const firstPage = await presets.list(workspace, all, { offset: 0, limit: 1 });
  if (firstPage === undefined) throw unknownWorkspace(workspace.workspaceId);
  yield line({ type: 'export', format: exportFormat, presets: firstPage.totalCount });
  let presetCount = 0;
  let versionCount = 0;
  for await (const { preset, current, hasDraft } of presetsOf(stores, workspace, draftsOf)) {
    yield presetLine(preset, current);
    const versions = streamBatches((page) => presets.versions(preset.id, page), preset.latestVersion);
    for await (const version of versions) yield versionLine(preset.slug, version);
    for await (const each of streamCases(cases, preset.id, current ?? [])) yield caseLine(preset.slug, each);
    const draft = draftsOf && hasDraft ? await drafts.find(preset.id, draftsOf) : undefined;
    if (draft !== undefined && draft.baseVersion <= preset.latestVersion) yield draftLine(preset.slug, draft);
    presetCount += 1;
    versionCount += preset.latestVersion;
  }
  // A file without this line is truncated.
  yield line({ type: 'end', presets: presetCount, versions: versionCount });
}

const noPresets: ReadonlySet<string> = new Set();

interface ExportedPreset {
  readonly preset: PresetState;
  /** Its test cases; undefined if the preset never had one. */
  readonly current: readonly CaseReference[] | undefined;
  readonly hasDraft: boolean;
}

async function* presetsOf(
  { presets, cases, drafts }: TransferStores,
  workspace: WorkspaceAddress,
  draftsOf: string | undefined,
): AsyncGenerator<ExportedPreset> {
  let after = '';
  for (;;) {
    const page = await presets.listBySlug(workspace, after, presetsPerPage);
    // For the whole page at once: most presets have neither.
    const ids = page.map(({ id }) => id);
    const [current, drafted] = await Promise.all([
      cases.current(ids),
      draftsOf === undefined ? noPresets : drafts.presetsWithDraft(draftsOf, ids),
    ]);
    for (const preset of page)
      yield { preset, current: current.get(preset.id), hasDraft: drafted.has(preset.id) };
    await yieldToEventLoop();
    const last = page.at(-1);
    if (last === undefined || page.length < presetsPerPage) return;
    after = last.slug;
  }
}

function presetLine(preset: PresetState, cases: readonly CaseReference[] | undefined): string {
  return line({
    type: 'preset',
    slug: preset.slug,
    name: preset.name,
    description: preset.description,
    status: preset.status,
    status_updated_at: preset.statusUpdatedAt,
    created_at: preset.createdAt,
    updated_at: preset.updatedAt,
    versions: preset.latestVersion,
    designated_version: preset.designatedNumber,
    labels: Object.fromEntries([...preset.labels].map(([label, { version }]) => [label, version])),
    // Only if there are some: presetd 0.6 rejects the field.
    ...(preset.aliases.size > 0 && { aliases: [...preset.aliases.keys()] }),
    // Servers before 0.7.0 reject the field.
    ...(preset.tags.length > 0 && { tags: preset.tags }),
    // An import removes all others. Absent if there never were any: the same servers reject it.
    ...(cases !== undefined && { cases: cases.map(({ name }) => name) }),
  });
}

/** Embeds JSON as stored, without parsing it: reserializing could change numbers. */
function versionLine(
  slug: string,
  { version, dialect, systemPrompt, extensionJson, createdAt, configJson }: PresetVersion,
): string {
  const rest = {
    type: 'version',
    slug,
    version,
    dialect,
    system_prompt: systemPrompt,
    created_at: createdAt,
  };
  // Without an extension, servers of version 0.6 can import the line too.
  const extension = extensionJson === null ? '' : `,"presetd":${extensionJson}`;
  return `${JSON.stringify(rest).slice(0, -1)},"config":${configJson}${extension}}\n`;
}

function caseLine(slug: string, { name, contentJson }: PresetCase): string {
  return `${JSON.stringify({ type: 'case', slug, name }).slice(0, -1)},${contentJson.slice(1)}\n`;
}

function draftLine(slug: string, { dialect, baseVersion, updatedAt, text }: Draft): string {
  return line({ type: 'draft', slug, dialect, base_version: baseVersion, updated_at: updatedAt, text });
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
