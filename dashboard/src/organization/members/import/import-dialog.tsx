import { useState } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { ChooseStep } from './choose-step.tsx';
import { PreviewStep } from './preview-step.tsx';
import { ProgressStep } from './progress-step.tsx';
import type { PeopleFile } from './read-people-file.ts';
import { useImport } from './use-import.ts';

interface ChosenFile {
  readonly name: string;
  readonly content: PeopleFile;
}

/** A file is chosen, looked through, and sent; nothing is changed before somebody has seen what is in it. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<ChosenFile>();
  const [isUpdating, setIsUpdating] = useState(false);
  const { progress, start, goOn, stop } = useImport();
  const isUnderWay = progress?.state === 'running' || progress?.state === 'stopping';
  return (
    <Dialog title="Import members from CSV" onClose={isUnderWay ? stop : onClose}>
      {file === undefined ? (
        <ChooseStep onRead={(name, content) => setFile({ name, content })} onClose={onClose} />
      ) : progress === undefined ? (
        <PreviewStep
          name={file.name}
          file={file.content}
          isUpdating={isUpdating}
          onUpdating={setIsUpdating}
          onBack={() => setFile(undefined)}
          onStart={() => start(file.content, isUpdating)}
        />
      ) : (
        <ProgressStep
          progress={progress}
          totalCount={file.content.people.length}
          onStop={stop}
          onGoOn={() => goOn(file.content, isUpdating)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
