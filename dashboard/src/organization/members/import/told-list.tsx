import { Download } from 'lucide-react';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { counted } from '../../../parts/counted.ts';
import styles from './import.module.css';

/** More would bury what is around it; all of them can be copied and kept. */
const shownMax = 100;

export function ToldList({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const text = () => `${lines.join('\n')}\n`;
  const rest = lines.length - shownMax;
  return (
    <div className="stack">
      <div className={styles.tools}>
        <h3>{title}</h3>
        <CopyButton text={text()} what="all of these lines" />
        <Button isSmall onClick={() => saveAs('import-problems.txt', text())}>
          <Download aria-hidden="true" />
          Download
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.told} aria-label={title} tabIndex={0}>
        <ul>
          {lines.slice(0, shownMax).map((line) => (
            <li key={line}>{line}</li>
          ))}
          {rest > 0 && <li className="muted">And {counted(rest, 'more', 'more')}.</li>}
        </ul>
      </section>
    </div>
  );
}

function saveAs(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read it only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
