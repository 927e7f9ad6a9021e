import { Logo } from '../components/card-page.tsx';
import { PageSkeleton, PresetSkeleton } from '../components/loading.tsx';
import styles from './shell.module.css';

/** The frame of the pages while the server is asked who is signed in. `path` names the page. */
export function ShellSkeleton({ path }: { readonly path: string }) {
  const isPreset = /^(\/w\/[^/]+)?\/presets\/./.test(path);
  return (
    <div className={styles.shell}>
      <title>presetd</title>
      <header className={styles.bar}>
        <div className={styles.place}>
          <span className={styles.brand}>
            <Logo />
            <span className={styles.brandName}>presetd</span>
          </span>
        </div>
      </header>
      <main className={styles.content}>
        {isPreset ? <PresetSkeleton label="Signing in" /> : <PageSkeleton label="Signing in" />}
      </main>
    </div>
  );
}
