import { useSession } from '../session/session.tsx';
import { CaptureForm } from './capture-form.tsx';
import { draftName } from './drafts.ts';

const empty = { text: '', slug: '' };

export function NewPreset() {
  const name = draftName(useSession(), undefined);
  return <CaptureForm key={name} draftName={name} pristine={empty} />;
}
