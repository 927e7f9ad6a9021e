import { Tabs } from '@base-ui/react/tabs';
import styles from './tabs.module.css';

interface TabListProps {
  /** Accessible name. */
  readonly label: string;
  readonly tabs: readonly (readonly [value: string, title: string])[];
}

/** The tabs of a `Tabs.Root`. */
export function TabList({ label, tabs }: TabListProps) {
  return (
    <Tabs.List className={styles.list} aria-label={label}>
      {tabs.map(([value, title]) => (
        <Tabs.Tab key={value} value={value} className={styles.tab}>
          {title}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
