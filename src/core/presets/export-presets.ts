import { yieldToEventLoop } from '../cooperative-scheduler.ts';
import { unknownWorkspace } from '../organization/workspace-access.ts';
import type { PresetStore } from '../storage.ts';
import { exportFormat, type PresetState, type PresetVersion, type WorkspaceAddress } from './preset.ts';
import { streamVersions } from './read-presets.ts';

const presetsPerPage = 100;

/**
 * Yields every preset of a workspace with its versions, labels and aliases, as lines of JSON in slug order.
 *
 * An export contains no ids and no users, so it can be imported on another server. It is streamed
 * and never held in memory as a whole. Each preset is still consistent, because versions are
 * immutable. Throws `not_found` if there is no such workspace.
 */
export async function* exportPresets(
  presets: PresetStore,
  workspace: WorkspaceAddress,
): AsyncGenerator<string> {
  const all = { statuses: ['active', 'disabled', 'archived'], words: undefined } as const;
  const firstPage = await presets.list(workspace, all, { offset: 0, limit: 1 });
  if (firstPage === undefined) throw unknownWorkspace(workspace.workspaceId);
  yield line({ type: 'export', format: exportFormat, presets: firstPage.totalCount });
  let presetCount = 0;
  let versionCount = 0;
  for await (const preset of presetsOf(presets, workspace)) {
    yield presetLine(preset);
    const versions = streamVersions((page) => presets.versions(preset.id, page), preset.latestVersion);
    for await (const version of versions) yield versionLine(preset.slug, version);
    presetCount += 1;
    versionCount += preset.latestVersion;
  }
  // A file without this line is truncated.
  yield line({ type: 'end', presets: presetCount, versions: versionCount });
}

async function* presetsOf(presets: PresetStore, workspace: WorkspaceAddress): AsyncGenerator<PresetState> {
  let after = '';
  for (;;) {
    const page = await presets.listBySlug(workspace, after, presetsPerPage);
    yield* page;
    await yieldToEventLoop();
    const last = page.at(-1);
    if (last === undefined || page.length < presetsPerPage) return;
    after = last.slug;
  }
}

function presetLine(preset: PresetState): string {
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

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
