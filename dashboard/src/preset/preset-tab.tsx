import type { SeenPreset } from '../api/presets.ts';
import { loadedLater } from '../parts/loaded-later.tsx';
import { EventsTab } from './events-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';

const CompareTab = loadedLater(async () => (await import('../compare/compare-tab.tsx')).CompareTab);
const CallingTab = loadedLater(async () => (await import('../calling/calling-tab.tsx')).CallingTab);

export const tabs = ['overview', 'compare', 'use', 'events'] as const;

export type Tab = (typeof tabs)[number];

export function isTab(text: string): text is Tab {
  return tabs.some((tab) => tab === text);
}

interface PresetTabProps {
  readonly slug: string;
  readonly seen: SeenPreset;
  readonly tab: Tab;
}

export function PresetTab({ slug, seen, tab }: PresetTabProps) {
  return (
    <>
      {tab === 'overview' && <OverviewTab />}
      {tab === 'compare' && <CompareTab slug={slug} seen={seen} />}
      {tab === 'use' && <CallingTab slug={slug} seen={seen} />}
      {tab === 'events' && <EventsTab slug={slug} />}
    </>
  );
}
