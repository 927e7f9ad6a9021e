import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../api/api.ts';
import { type PresetSnapshot, useFetchPreset } from '../api/presets.ts';
import { Button } from '../ui/button.tsx';
import { messageOf } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';

interface SlugTakenNoticeProps {
  readonly slug: string;
  /** The version that the text would become; undefined if not known yet. */
  readonly version: number | undefined;
  /** Whether a save has already failed because of it. */
  readonly isError: boolean;
  /** Called to save the text as the next version of the existing preset instead. */
  readonly onAdd: (snapshot: PresetSnapshot) => void;
}

/**
 * Creating a preset never adds a version to an existing one. This notice offers to do so
 * explicitly.
 */
export function SlugTakenNotice({ slug, version, isError, onAdd }: SlugTakenNoticeProps) {
  const fetchPreset = useFetchPreset();
  const fetching = useMutation({ mutationFn: () => fetchPreset(slug), onSuccess: onAdd });
  const next = version === undefined ? 'a new version' : `version ${version}`;
  return (
    <Notice
      kind={isError ? 'danger' : 'warning'}
      title={`${slug} already exists`}
      actions={
        <Button isSmall isBusy={fetching.isPending} onClick={() => fetching.mutate()}>
          Add as {next}
        </Button>
      }
    >
      {fetching.error ? (
        messageOf(fetching.error)
      ) : (
        <>
          Choose another slug, or add this as {next} of <Link href={pathOf('presets', slug)}>{slug}</Link> and
          make it live.
        </>
      )}
    </Notice>
  );
}
