import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../api/api.ts';
import { type SeenPreset, useReadPreset } from '../api/presets.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Notice } from '../parts/notice.tsx';

interface ExistingPresetProps {
  readonly slug: string;
  /** The number that the text would get, where it is known. */
  readonly version: number | undefined;
  /** To make the text its next version instead. */
  readonly onAdd: (seen: SeenPreset) => void;
}

/** A preset is not made where there is one: its next version is, by whoever wants that. */
export function ExistingPreset({ slug, version, onAdd }: ExistingPresetProps) {
  const readPreset = useReadPreset();
  const reading = useMutation({ mutationFn: () => readPreset(slug), onSuccess: onAdd });
  return (
    <Notice
      kind="warning"
      title={`The preset ${slug} exists already`}
      actions={
        <Button isSmall isBusy={reading.isPending} onClick={() => reading.mutate()}>
          {version === undefined ? 'Add it as the next version' : `Add it as version ${version}`}
        </Button>
      }
    >
      Choose another slug, or make this the next version of <Link href={pathOf('presets', slug)}>{slug}</Link>
      , which then goes live.
      {reading.error && <ErrorNotice error={reading.error} />}
    </Notice>
  );
}
