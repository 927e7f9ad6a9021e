import { Link } from 'wouter';
import { pathOf } from '../api/api.ts';
import { type Tab, tabs } from './preset-tab.tsx';
import styles from './preset-tabs.module.css';

export function PresetTabs({ slug, tab: current }: { readonly slug: string; readonly tab: Tab }) {
  return (
    <nav className={styles.tabs} aria-label="Preset">
      {tabs.map((tab) => (
        <Link
          key={tab}
          href={tab === 'overview' ? pathOf('presets', slug) : pathOf('presets', slug, tab)}
          className={styles.tab}
          aria-current={tab === current ? 'page' : undefined}
        >
          {titles[tab]}
        </Link>
      ))}
    </nav>
  );
}

const titles: Readonly<Record<Tab, string>> = {
  overview: 'Overview',
  compare: 'Compare',
  use: 'Use',
  events: 'Events',
};
