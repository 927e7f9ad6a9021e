import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { ChooseStep } from './choose-step.tsx';
import { PreviewStep } from './preview-step.tsx';
import { ProgressStep } from './progress-step.tsx';
import type { PeopleFile } from './read-people-file.ts';
import { useImport } from './use-import.ts';

interface ChosenFile {
  readonly name: string;
  readonly content: PeopleFile;
}

/**
 * Imports members in three steps: choose a file, review it, follow the progress. Nothing is sent
 * before the user has seen what the file contains.
 */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [file, setFile] = useState<ChosenFile>();
  const [isUpdating, setIsUpdating] = useState(false);
  const { progress, start, resume, stop } = useImport();
  // Closing while it runs only stops it, so that the result can still be seen.
  const isRunning = progress?.state === 'running' || progress?.state === 'stopping';
  return (
    <Dialog title="Import members from CSV" onClose={isRunning ? stop : onClose}>
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
          onResume={() => resume(file.content, isUpdating)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}
