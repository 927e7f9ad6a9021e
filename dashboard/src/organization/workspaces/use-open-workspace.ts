import { useLocation } from 'wouter';
import type { Workspace } from '../../../../src/api/workspaces.ts';
import { useSession } from '../../session/session.tsx';

/** Returns a function that selects a workspace and opens its presets. */
export function useOpenWorkspace() {
  const { chooseWorkspace } = useSession();
  const [, navigate] = useLocation();
  return ({ id, is_default }: Pick<Workspace, 'id' | 'is_default'>) => {
    chooseWorkspace(is_default ? undefined : id);
    navigate('/');
  };
}
