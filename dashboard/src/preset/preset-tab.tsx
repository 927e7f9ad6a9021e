import type { PresetSnapshot } from '../api/presets.ts';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { EventsTab } from './events-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';

const CompareTab = lazyComponent(async () => (await import('../compare/compare-tab.tsx')).CompareTab);
const PlaygroundTab = lazyComponent(
  async () => (await import('../playground/playground-tab.tsx')).PlaygroundTab,
);

/** Also the last segment of their URLs. */
export const tabs = ['overview', 'compare', 'use', 'events'] as const;

export type Tab = (typeof tabs)[number];

export function isTab(text: string): text is Tab {
  return tabs.some((tab) => tab === text);
}

interface PresetTabProps {
  readonly slug: string;
  readonly snapshot: PresetSnapshot;
  readonly tab: Tab;
}

export function PresetTab({ slug, snapshot, tab }: PresetTabProps) {
  return (
    <>
      {tab === 'overview' && <OverviewTab />}
      {tab === 'compare' && <CompareTab slug={slug} snapshot={snapshot} />}
      {tab === 'use' && <PlaygroundTab slug={slug} snapshot={snapshot} />}
      {tab === 'events' && <EventsTab slug={slug} />}
    </>
  );
}
