import { useId, useState } from 'react';
import { CodeBlock } from '../parts/code-block.tsx';
import { Panel } from '../parts/panel.tsx';
import { type SnippetId, type SnippetOptions, snippetsFor } from './snippets.ts';
import styles from './snippets-panel.module.css';

/** Programs to begin with, for the clients that people have. */
export function SnippetsPanel({ reference, maxTokens }: Omit<SnippetOptions, 'origin'>) {
  const [chosen, setChosen] = useState<SnippetId>('curl');
  const name = useId();
  const snippets = snippetsFor({ origin: location.origin, reference, maxTokens });
  const snippet = snippets.find(({ id }) => id === chosen);
  return (
    <Panel title="Call it">
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
                checked={id === chosen}
                onChange={() => setChosen(id)}
              />
              {title}
            </label>
          ))}
        </fieldset>
        {snippet && <CodeBlock label={`the program for ${snippet.title}`} code={snippet.code} />}
        <p className="muted">
          The key is an API key of this workspace, in the environment variable <code>PRESETD_API_KEY</code>.
          What a request says itself wins over the preset.
        </p>
      </div>
    </Panel>
  );
}
