import { useId, useState } from 'react';
import { CodeBlock } from '../ui/code-block.tsx';
import { Panel } from '../ui/panel.tsx';
import { type SnippetId, type SnippetOptions, snippetsFor } from './snippets.ts';
import styles from './snippets-panel.module.css';

/** Code examples for common clients, with this server's address and the selected model name. */
export function SnippetsPanel({ reference, maxTokens }: Omit<SnippetOptions, 'origin'>) {
  const [selected, setSelected] = useState<SnippetId>('curl');
  const name = useId();
  const snippets = snippetsFor({ origin: location.origin, reference, maxTokens });
  const snippet = snippets.find(({ id }) => id === selected);
  return (
    <Panel title="Code examples">
      <div className={styles.panel}>
        <fieldset className={styles.clients}>
          <legend className="visually-hidden">Client</legend>
          {snippets.map(({ id, title }) => (
            <label key={id} className={styles.client}>
              <input
                type="radio"
                className={styles.radio}
                name={name}
                value={id}
                checked={id === selected}
                onChange={() => setSelected(id)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        {snippet && <CodeBlock label={`${snippet.title} example`} code={snippet.code} />}
        <p className="muted">
          Set <code>PRESETD_API_KEY</code> to an API key of this workspace. Fields in the request override the
          preset.
        </p>
      </div>
    </Panel>
  );
}
