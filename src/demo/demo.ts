import { people } from './people.ts';
import { growth } from './workspaces/growth.ts';
import { platform } from './workspaces/platform.ts';
import { search } from './workspaces/search.ts';
import { support } from './workspaces/support.ts';
import { trust } from './workspaces/trust.ts';
import type { WorkspaceStory } from './workspaces/workspace-story.ts';

/** Everything that `presetd demo` creates. */
export const demoWorkspaces: readonly WorkspaceStory[] = [support, growth, search, platform, trust];

const presets = demoWorkspaces.flatMap((workspace) => workspace.presets);

/** With the default workspace and its owner, who exist on every server. */
export const demoCounts = {
  workspaces: demoWorkspaces.length + 1,
  people: people.size + 1,
  presets: presets.length,
  versions: presets.reduce((sum, { versions }) => sum + versions.length, 0),
  cases: presets.reduce((sum, { cases = [] }) => sum + cases.length, 0),
} as const;
