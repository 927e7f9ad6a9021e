import { pathOf } from '../api/api.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { usePresetActions } from './preset-actions.tsx';

interface OtherVersionNoticeProps {
  readonly version: number;
  readonly live: number;
}

export function OtherVersionNotice({ version, live }: OtherVersionNoticeProps) {
  const { slug, canChange, ask } = usePresetActions();
  return (
    <Notice
      title={`This is version ${version}. Version ${live} is live.`}
      actions={
        <>
          {canChange && (
            <Button isSmall onClick={() => ask({ kind: 'make-live', version })}>
              Make live…
            </Button>
          )}
          <ButtonLink isSmall href={`${pathOf('presets', slug, 'compare')}?from=${live}&to=${version}`}>
            Compare with live
          </ButtonLink>
          <ButtonLink isSmall variant="quiet" href={pathOf('presets', slug)}>
            Show the live version
          </ButtonLink>
        </>
      }
    />
  );
}
