import { ChartNoAxesColumn } from 'lucide-react';
import type { Preset } from '../../../../src/api/presets.ts';
import { Menu } from '../../components/menu.tsx';
import { versionUsagePath } from './usage-path.ts';
import styles from './version-usage.module.css';
import { describeUsage, useVersionUsage } from './version-usage.ts';

interface UsageMenuProps {
  readonly preset: Preset;
  /** The version that a draft is based on. */
  readonly base: number;
}

/**
 * How the live version behaves, and the one that is being edited, behind a button. The button has
 * its place while the numbers load, and disappears for a preset without calls.
 */
export function UsageMenu({ preset, base }: UsageMenuProps) {
  const { data, error } = useVersionUsage(preset);
  if (error || data?.size === 0) return null;
  const live = preset.designated_version.version;
  return (
    <span className={data === undefined ? styles.hidden : undefined}>
      <Menu
        label="Usage of versions"
        button={
          <>
            <ChartNoAxesColumn aria-hidden="true" className={styles.icon} />
            Usage
          </>
        }
        items={[...new Set([live, base])].map((version) => {
          const usage = data?.get(version);
          const name = version === live ? `Version ${version} (live)` : `Version ${version}`;
          const facts = usage === undefined ? ['no calls'] : describeUsage(usage);
          return {
            text: name,
            detail: facts.join(' · '),
            href: versionUsagePath(preset, version),
          };
        })}
      />
    </span>
  );
}
