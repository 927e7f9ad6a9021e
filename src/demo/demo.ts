import { people } from './people.ts';
import { support } from './workspaces/support.ts';
import type { WorkspaceStory } from './workspaces/workspace-story.ts';

/** Everything that `presetd demo` creates. */
export const demoWorkspaces: readonly WorkspaceStory[] = [support];

const presets = demoWorkspaces.flatMap((workspace) => workspace.presets);

export const demoCounts = {
  workspaces: demoWorkspaces.length,
  people: people.size,
  presets: presets.length,
  versions: presets.reduce((sum, { versions }) => sum + versions.length, 0),
  cases: presets.reduce((sum, { cases = [] }) => sum + cases.length, 0),
} as const;
