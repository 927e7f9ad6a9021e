import { useState } from 'react';
import type { PresetVersion } from '../../../src/client/preset-answers.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './config-panel.module.css';
import { type ConfigField, configSections } from './config-sections.ts';
import { ConfigValue } from './config-value.tsx';
import { ToolList } from './tool-list.tsx';

/** The config of a version, grouped by topic or as raw JSON. */
export function ConfigPanel({ config }: Pick<PresetVersion, 'config'>) {
  const [isRaw, setIsRaw] = useState(false);
  const json = JSON.stringify(config, null, 2);
  return (
    <Panel
      title="Config"
      actions={
        <>
          <Button isSmall aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)} className={styles.raw}>
            Raw JSON
          </Button>
          {!isRaw && <CopyButton text={json} what="config JSON" />}
        </>
      }
    >
      {isRaw ? <CodeBlock code={json} label="config JSON" isBounded /> : <Fields config={config} />}
    </Panel>
  );
}

function Fields({ config }: Pick<PresetVersion, 'config'>) {
  const sections = configSections(config);
  if (sections.length === 0) return <p className="muted">The config is empty.</p>;
  return (
    <div className={styles.sections}>
      {sections.map(({ title, fields }) => (
        <section key={title} className={styles.section}>
          <h3>{title}</h3>
          <dl className={styles.fields}>
            {fields.map((field) => (
              <div key={field.name} className={styles.field}>
                <dt title={field.name}>
                  {field.title}
                  {field.isRetitled && <code className={styles.name}>{field.name}</code>}
                </dt>
                <dd>
                  <FieldValue {...field} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

/** Lists of tools, which have a view of their own. */
const toolFields: readonly string[] = ['tools', 'functions', 'mcp_servers'];

function FieldValue({ name, value }: ConfigField) {
  return toolFields.includes(name) && Array.isArray(value) ? (
    <ToolList tools={value} />
  ) : (
    <ConfigValue value={value} name={name} />
  );
}
