import { Archive, Tag } from 'lucide-react';
import { useState } from 'react';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../components/button.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { TagsDialog } from './tags-dialog.tsx';

interface BulkActionsProps {
  readonly presets: readonly PresetSummary[];
  readonly clear: () => void;
}

const dialogs = { tags: TagsDialog, archive: ArchiveDialog };

/** Buttons for those of the selected presets that the user may change. */
export function BulkActions({ presets, clear }: BulkActionsProps) {
  const { may } = useSession();
  // The selection changes while a change runs, because archived presets leave the list.
  const [opened, setOpened] = useState<{
    readonly name: keyof typeof dialogs;
    readonly presets: readonly PresetSummary[];
  }>();
  const Dialog = opened && dialogs[opened.name];
  return (
    <>
      <Button isSmall onClick={() => setOpened({ name: 'tags', presets })}>
        <Tag aria-hidden="true" />
        Tags…
      </Button>
      {may('release') && (
        <Button isSmall onClick={() => setOpened({ name: 'archive', presets })}>
          <Archive aria-hidden="true" />
          Archive…
        </Button>
      )}
      {Dialog && (
        <Dialog
          presets={opened.presets}
          onCancel={() => setOpened(undefined)}
          onDone={() => {
            setOpened(undefined);
            clear();
          }}
        />
      )}
    </>
  );
}
