import { useState } from 'react';
import type { PresetVersion } from '../../../../src/api/versions.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { highlightJson } from '../../components/code-highlight.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Panel } from '../../components/page.tsx';
import { ShowMore, useShowMore } from '../../components/show-more.tsx';
import { formatCount } from '../../components/text.ts';
import styles from './config.module.css';
import { type ConfigField, configSections } from './config-sections.ts';
import {
  describeSchema,
  fitsOutline,
  isPlainJsonObject,
  isScalar,
  isSchema,
  type JsonObject,
  toolSummary,
} from './config-values.ts';

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
      {isRaw ? (
        <CodeBlock code={json} label="config JSON" highlight={highlightJson} isBounded />
      ) : (
        <Fields config={config} />
      )}
    </Panel>
  );
}

function Fields({ config }: Pick<PresetVersion, 'config'>) {
  const sections = configSections(config);
  if (sections.length === 0) return <p className="muted">The config is empty.</p>;
  return (
    <div className={styles.sections}>
      {sections.map(({ title, fields }) => (
        <section key={title} className="stack-2">
          <h3>{title}</h3>
          <dl className={styles.fields}>
            {fields.map((field) => (
              <div key={field.name} className={styles.field}>
                <dt title={field.name}>
                  {field.title}
                  {field.isRetitled && <code className="note">{field.name}</code>}
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

interface ConfigValueProps {
  readonly value: unknown;
  /** The field's name. */
  readonly name: string;
}

/**
 * Any config value: scalars as text, small structures as an outline, everything else as collapsed
 * JSON.
 */
function ConfigValue({ value, name }: ConfigValueProps) {
  if (isScalar(value)) return <Scalar value={value} />;
  if (isSchema(name, value))
    return <JsonDetails value={value} summary={describeSchema(value, 'field')} label={name} />;
  if (!fitsOutline(value)) return <JsonDetails value={value} summary={describeSize(value)} label={name} />;
  if (isPlainJsonObject(value)) return <Outline value={value} />;
  return Array.isArray(value) ? <Items items={value} name={name} /> : null;
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (value === null) return <span className="muted">null</span>;
  if (typeof value !== 'string') return <span className="mono">{JSON.stringify(value)}</span>;
  if (value === '') return <span className="muted">Empty string</span>;
  return <span className={styles.text}>{value}</span>;
}

function Items({ items, name }: { readonly items: readonly unknown[]; readonly name: string }) {
  if (items.length === 0) return <span className="muted">Empty list</span>;
  const isPlain = items.every(isScalar);
  return (
    <ol className={isPlain ? styles.plainItems : styles.items}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a version never change
        <li key={index}>
          <ConfigValue value={item} name={name} />
        </li>
      ))}
    </ol>
  );
}

/** Names and values as a nested list. */
function Outline({ value }: { readonly value: JsonObject }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="muted">Empty</span>;
  return (
    <dl className={styles.outline}>
      {entries.map(([name, item]) => (
        <div key={name} className={styles.entry}>
          <dt>{name}</dt>
          <dd>
            <ConfigValue value={item} name={name} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A one-line summary of a value that is too large for an outline. */
function describeSize(value: unknown): string {
  if (Array.isArray(value)) return formatCount(value.length, 'item', 'items');
  const names = isPlainJsonObject(value) ? Object.keys(value) : [];
  return `${names.slice(0, 6).join(', ')}${names.length > 6 ? ', …' : ''}`;
}

/** Tools with name, description and parameters; the rest of their fields as an outline. */
function ToolList({ tools }: { readonly tools: readonly unknown[] }) {
  const { shown, focusProps, ...more } = useShowMore(tools, 100, 400);
  if (tools.length === 0) return <span className="muted">Empty list</span>;
  return (
    <>
      <ol className="stack-2">
        {shown.map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tools of a version never change
          <li key={index} className={styles.tool} {...focusProps(index)}>
            <Tool tool={tool} />
          </li>
        ))}
      </ol>
      <ShowMore {...more} />
    </>
  );
}

function Tool({ tool }: { readonly tool: unknown }) {
  const { name, type, description, schema, rest } = toolSummary(tool);
  return (
    <>
      <p className={styles.toolName}>
        <span className="mono">{name}</span> {type !== undefined && <Badge>{type}</Badge>}
      </p>
      {description !== undefined && <p className={styles.description}>{description}</p>}
      {Object.keys(rest).length > 0 && <Outline value={rest} />}
      {schema && (
        <JsonDetails value={schema} summary={describeSchema(schema)} label={`parameters of ${name}`} />
      )}
    </>
  );
}

interface JsonDetailsProps {
  readonly value: unknown;
  readonly summary: string;
  /** Accessible name. */
  readonly label: string;
}

/**
 * JSON under a summary line. It is serialized only once opened, since there may be thousands on a
 * page.
 */
export function JsonDetails({ value, summary, label }: JsonDetailsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && (
        <CodeBlock code={JSON.stringify(value, null, 2)} label={label} highlight={highlightJson} isBounded />
      )}
    </details>
  );
}
