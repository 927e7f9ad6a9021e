import { Badge } from '../ui/badge.tsx';
import { ShowMore } from '../ui/show-more.tsx';
import { useShowMore } from '../ui/use-show-more.ts';
import { Outline } from './config-value.tsx';
import { JsonDetails } from './json-details.tsx';
import styles from './tool-list.module.css';
import { describeSchema, toolSummary } from './tool-summary.ts';

/** Tools with name, description and parameters; the rest of their fields as an outline. */
export function ToolList({ tools }: { readonly tools: readonly unknown[] }) {
  const { shown, focusProps, ...more } = useShowMore(tools, 100, 400);
  if (tools.length === 0) return <span className="muted">Empty list</span>;
  return (
    <>
      <ol className={styles.tools}>
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
      <p className={styles.name}>
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
