import { pathOf } from '../api/api.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { usePresetActions } from './preset-actions-context.tsx';

interface NotLiveNoticeProps {
  readonly version: number;
  readonly live: number;
}

/** Shown above a version that is not live, with ways to compare it or make it live. */
export function NotLiveNotice({ version, live }: NotLiveNoticeProps) {
  const { slug, canChange, openDialog } = usePresetActions();
  return (
    <Notice
      title={`This is version ${version}. Version ${live} is live.`}
      actions={
        <>
          {canChange && (
            <Button isSmall onClick={() => openDialog({ kind: 'make-live', version })}>
              Make live…
            </Button>
          )}
          <ButtonLink isSmall href={`${pathOf('presets', slug, 'compare')}?from=${live}&to=${version}`}>
            Compare with live
          </ButtonLink>
          <ButtonLink isSmall variant="quiet" href={pathOf('presets', slug)}>
            Show live version
          </ButtonLink>
        </>
      }
    />
  );
}
