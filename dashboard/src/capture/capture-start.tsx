import { useState } from 'react';
import { CaptureForm } from './capture-form.tsx';
import { type Draft, keptDraft } from './drafts.ts';

interface CaptureStartProps {
  readonly draftName: string;
  /** How the page begins where nothing was typed yet. */
  readonly pristine: Draft;
}

/** Begins with what was typed here before and not saved, if there is anything, else from the start. */
export function CaptureStart({ draftName, pristine }: CaptureStartProps) {
  const [start, setStart] = useState(() => ({ number: 0, draft: keptDraft(draftName) }));
  return (
    <CaptureForm
      key={start.number}
      draftName={draftName}
      pristine={pristine}
      // What was only begun has not seen a state of the preset yet.
      draft={start.draft && { ...start.draft, before: start.draft.before ?? pristine.before }}
      onStartAgain={() => setStart(({ number }) => ({ number: number + 1, draft: undefined }))}
    />
  );
}
