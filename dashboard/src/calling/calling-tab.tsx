import { type SeenPreset, useLabels, useVersion, useVersionCount } from '../api/presets.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Notice } from '../parts/notice.tsx';
import { useShownVersion } from '../preset/preset-actions.tsx';
import { PinChoice } from './pin-choice.tsx';
import { limitOf, pinnedVersion, referenceOf } from './pins.ts';
import { Playground } from './playground.tsx';
import { SnippetsPanel } from './snippets-panel.tsx';
import { usePin } from './use-pin.ts';

interface CallingTabProps {
  readonly slug: string;
  readonly seen: SeenPreset;
}

/** How programs call the preset, and a way to try it here. */
export function CallingTab({ slug, seen }: CallingTabProps) {
  const { data: latest, error, refetch } = useVersionCount(slug, seen.etag);
  const labels = useLabels(slug);
  const [pin, setPin] = usePin();
  const live = seen.preset.designated_version.version;
  const versions = { latest: latest ?? live, live, labels: labels.data?.data ?? [] };
  const version = pinnedVersion(pin, versions);
  const pinned = useVersion(slug, version);
  useShownVersion(pinned.data?.version);
  if (latest === undefined || (labels.data === undefined && !labels.error))
    return error ? (
      <ErrorNotice error={error} title="The versions could not be read." retry={() => void refetch()} />
    ) : (
      <Loading lines={8} label="Loading versions" />
    );
  const reference = referenceOf(slug, pin);
  return (
    <div className="stack">
      <UnusableNotice status={seen.preset.status} />
      <PinChoice pin={pin} reference={reference} versions={versions} onChange={setPin} />
      <SnippetsPanel reference={reference} maxTokens={limitOf(pinned.data?.config)} />
      {seen.preset.status === 'active' && <Playground reference={reference} version={version} />}
    </div>
  );
}

function UnusableNotice({ status }: { readonly status: string }) {
  if (status === 'disabled')
    return (
      <Notice kind="warning" title="This preset is disabled.">
        Programs that call it are refused with status 403 until somebody enables it.
      </Notice>
    );
  if (status === 'archived')
    return (
      <Notice kind="warning" title="This preset is archived.">
        Programs that call it are told that it is not there, with status 404, until somebody restores it.
      </Notice>
    );
  return null;
}
