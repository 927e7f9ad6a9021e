import { useSession } from '../session/session.tsx';
import { CaptureStart } from './capture-start.tsx';
import { draftName } from './drafts.ts';

const empty = { text: '', slug: '' };

export function NewPreset() {
  const { key, workspaceId } = useSession();
  const name = draftName(key.workspace_id ?? workspaceId, undefined);
  return <CaptureStart key={name} draftName={name} pristine={empty} />;
}
