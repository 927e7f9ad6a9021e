import { Download } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { formatNumber } from '../../../ui/format-number.ts';
import styles from './import.module.css';

/** More would bury the rest of the dialog; all lines can be copied or downloaded. */
const shownMax = 100;

/** Messages about lines of the file, with buttons to copy and download all of them. */
export function LineList({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const text = () => `${lines.join('\n')}\n`;
  const rest = lines.length - shownMax;
  return (
    <div className="stack">
      <div className={styles.tools}>
        <h3>{title}</h3>
        <CopyButton text={text()} what="all lines" />
        <Button isSmall onClick={() => saveAs('import-problems.txt', text())}>
          <Download aria-hidden="true" />
          Download
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section className={styles.lines} aria-label={title} tabIndex={0}>
        <ul>
          {lines.slice(0, shownMax).map((line) => (
            <li key={line}>{line}</li>
          ))}
          {rest > 0 && <li className="muted">And {formatNumber(rest)} more.</li>}
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
  // Some browsers start reading the blob only after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
