import { useSession } from '../session/session.tsx';
import { CaptureForm } from './capture-form.tsx';
import { draftName } from './drafts.ts';

const empty = { text: '', slug: '' };

/** The key remounts the form when another workspace, and so another draft, is selected. */
export function NewPreset() {
  const name = draftName(useSession(), undefined);
  return <CaptureForm key={name} draftName={name} pristine={empty} />;
}
