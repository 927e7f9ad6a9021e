import { useState } from 'react';
import { type Command, currentCommands, type Keys } from '../../components/commands.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Kbd } from '../../components/kbd.tsx';
import styles from './palette.module.css';

/** The keys that work on the page, by what they belong to. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const [groups] = useState(() => groupsWithKeys(currentCommands()));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles.groups}>
        {groups.map(([group, commands]) => (
          <section key={group} aria-label={group}>
            <h3 className={styles.keyGroup}>{group}</h3>
            <dl>
              {commands.map(({ title, keys }) => (
                <div key={title} className={styles.row}>
                  <dt>{title}</dt>
                  <dd>
                    <Kbd keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

type CommandWithKeys = Command & { readonly keys: Keys };

function groupsWithKeys(commands: readonly Command[]) {
  const withKeys = commands.filter((command): command is CommandWithKeys => command.keys !== undefined);
  return [...Map.groupBy(withKeys, ({ group }) => group)];
}
