import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../api/api.ts';
import { type SeenPreset, useReadPreset } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { messageOf } from '../parts/error-notice.tsx';
import { Notice } from '../parts/notice.tsx';

interface ExistingPresetProps {
  readonly slug: string;
  /** The number that the text would get, where it is known. */
  readonly version: number | undefined;
  /** It was tried all the same. */
  readonly isRefused: boolean;
  /** To make the text its next version instead. */
  readonly onAdd: (seen: SeenPreset) => void;
}

/** A preset is not made where there is one: its next version is, by whoever wants that. */
export function ExistingPreset({ slug, version, isRefused, onAdd }: ExistingPresetProps) {
  const readPreset = useReadPreset();
  const reading = useMutation({ mutationFn: () => readPreset(slug), onSuccess: onAdd });
  const next = version === undefined ? 'the next version' : `version ${version}`;
  return (
    <Notice
      kind={isRefused ? 'danger' : 'warning'}
      title={`${slug} exists; this would be its ${next.replace('the ', '')}`}
      actions={
        <Button isSmall isBusy={reading.isPending} onClick={() => reading.mutate()}>
          Add it as {next}
        </Button>
      }
    >
      {reading.error ? (
        messageOf(reading.error)
      ) : (
        <>
          Choose another slug, or add it to <Link href={pathOf('presets', slug)}>{slug}</Link>, where it then
          goes live.
        </>
      )}
    </Notice>
  );
}
