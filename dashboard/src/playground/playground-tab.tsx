import { type PresetSnapshot, useLabels, useVersion, useVersionCount } from '../api/presets.ts';
import { useShownVersion } from '../preset/preset-actions-context.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Loading } from '../ui/loading.tsx';
import { ModelNamePanel } from './model-name-panel.tsx';
import { maxTokensOf, modelReference, resolvePin } from './pins.ts';
import { Playground } from './playground.tsx';
import { SnippetsPanel } from './snippets-panel.tsx';
import { usePin } from './use-pin.ts';

interface PlaygroundTabProps {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
}

/**
 * The "Use" tab: the model name to call, code examples, and a playground. The layout around it
 * explains why a preset that is not active cannot be called.
 */
export function PlaygroundTab({ slug, snapshot }: PlaygroundTabProps) {
  const { data: latest, error, refetch } = useVersionCount(slug, snapshot.etag);
  const labels = useLabels(slug);
  const [pin, setPin] = usePin();
  const live = snapshot.preset.designated_version.version;
  const versions = { latest: latest ?? live, live, labels: labels.data?.data ?? [] };
  const version = resolvePin(pin, versions);
  // For its token limit, which some clients must repeat.
  const pinned = useVersion(slug, version);
  useShownVersion(pinned.data?.version);
  // Without labels, a pin to a label would be reported as unknown. If they fail to load, go on.
  if (latest === undefined || (labels.data === undefined && !labels.error))
    return error ? (
      <ErrorNotice error={error} title="Could not load the versions" retry={() => void refetch()} />
    ) : (
      <Loading lines={8} label="Loading versions" />
    );
  const reference = modelReference(slug, pin);
  return (
    <div className="stack">
      <ModelNamePanel pin={pin} reference={reference} versions={versions} onChange={setPin} />
      <SnippetsPanel reference={reference} maxTokens={maxTokensOf(pinned.data?.config)} />
      {snapshot.preset.status === 'active' && <Playground reference={reference} version={version} />}
    </div>
  );
}
