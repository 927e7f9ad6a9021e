import { type Keys, keyNames } from './commands.ts';
import styles from './kbd.module.css';

/** Keys that the user presses together. */
export function Kbd({ keys }: { readonly keys: Keys }) {
  return (
    <span className={styles.keys}>
      {keyNames(keys).map((name) => (
        <kbd key={name} className={styles.key}>
          {name}
        </kbd>
      ))}
    </span>
  );
}
