import { lazyComponent, WorkbenchSkeleton } from '../components/loading.tsx';
import { EventsTab } from '../pages/preset/events-tab.tsx';
import { type PresetAddress, PresetPage, type PresetTabs } from '../pages/preset/preset-page.tsx';

const WorkbenchTab = lazyComponent(
  async () => (await import('../pages/workbench/workbench-tab.tsx')).WorkbenchTab,
  WorkbenchSkeleton,
);
const HistoryTab = lazyComponent(
  async () => (await import('../pages/preset/history/history-tab.tsx')).HistoryTab,
);
const UseTab = lazyComponent(async () => (await import('../pages/preset/use/use-tab.tsx')).UseTab);

const tabs: PresetTabs = new Map([
  [undefined, { title: 'Workbench', guide: 'workbench', Content: WorkbenchTab }],
  ['history', { title: 'History', guide: 'versions', Content: HistoryTab }],
  ['use', { title: 'Use', guide: 'gateway', Content: UseTab }],
  ['events', { title: 'Events', guide: 'versions#see-who-changed-what', Content: EventsTab }],
]);

/** The page of a preset with its tabs. */
export function PresetPages(address: PresetAddress) {
  return <PresetPage tabs={tabs} {...address} />;
}
