import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { parsePointer } from '../../../../src/core/json-pointer.ts';
import { ApiError } from '../../api/api-error.ts';
import { classNames } from '../../components/class-names.ts';
import { Expandable } from '../../components/code-block.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { formatCount, formatNumber } from '../../components/text.ts';
import type { Capture, Report } from '../../features/capture/use-capture.ts';
import { lineAndColumn, type TextProblem } from '../../features/request/check-request.ts';
import { warningsMax } from '../../features/request/locate-issues.ts';
import { extensionParts } from '../../features/version-content/extension-lists.tsx';
import { TemplateText } from '../../features/version-content/template-text.tsx';
import styles from './new-preset.module.css';

interface CapturePreviewProps extends Pick<Capture, 'checked' | 'dryRun' | 'dialect' | 'report'> {
  readonly onGoTo: (offset: number) => void;
}

/** Next to the editor: problems, then what the preset would save and ignore. */
export function CapturePreview({ checked, dialect, dryRun, report, onGoTo }: CapturePreviewProps) {
  const { error, isPlaceholderData, isFetching, refetch } = dryRun;
  // The result for an earlier text says nothing about one that cannot be checked.
  const data = dialect === undefined ? undefined : dryRun.data;
  const version = data && { ...data.data.designated_version, presetd: data.presetd };
  if (checked.kind === 'empty') return <EmptyPreview />;
  // Problems with a position are listed; anything else, such as a timeout, gets a notice.
  const hasOtherError = error !== null && !(error instanceof ApiError && error.issues.length > 0);
  return (
    <div className="stack">
      {report.problems.length + report.warnings.length > 0 && <ProblemList {...report} onGoTo={onGoTo} />}
      {hasOtherError && (
        <ErrorNotice error={error} title="Could not check the request" retry={() => void refetch()} />
      )}
      {version ? (
        <>
          <SavedPanel version={version} isStale={isPlaceholderData} />
          <IgnoredPanel leftOut={data} isStale={isPlaceholderData} />
        </>
      ) : isFetching ? (
        <Panel title="What is saved">
          <Loading lines={6} label="Checking the request" />
        </Panel>
      ) : (
        dialect === undefined &&
        checked.kind === 'valid' && (
          <Panel title="What is saved">
            <p className="muted">Choose a format to see what is saved.</p>
          </Panel>
        )
      )}
    </div>
  );
}

/** Shown before anything is pasted. */
function EmptyPreview() {
  return (
    <Panel>
      <EmptyState title="What is saved">
        <p>
          Paste a request or write a prompt. Model, system prompt, tools and other parameters become the
          preset. Messages stay with each call.
        </p>
      </EmptyState>
    </Panel>
  );
}

interface SavedPanelProps {
  readonly version: Pick<PresetVersionDetails, 'config' | 'system_prompt' | 'presetd'>;
  /** A newer result is loading. */
  readonly isStale: boolean;
}

/** Everything that the version would save: config fields, system prompt, `presetd` object. */
function SavedPanel({ version: { config, system_prompt: prompt, presetd }, isStale }: SavedPanelProps) {
  return (
    <Panel title="What is saved">
      <div className={isStale ? styles.stale : styles.current} aria-busy={isStale}>
        <dl className={styles.fields}>
          {Object.entries(config).map(([name, value]) => (
            <div key={name} className={styles.field}>
              <dt>{name}</dt>
              <dd>
                <SavedValue value={value} name={name} />
              </dd>
            </div>
          ))}
        </dl>
        {Object.keys(config).length === 0 && <p className="muted">No config fields.</p>}
        <h3>System prompt</h3>
        {prompt === null ? (
          <p className="muted">No system prompt.</p>
        ) : (
          <div className={styles.frame}>
            <Expandable label="System prompt" className={styles.text}>
              {presetd?.variables === undefined ? truncate(prompt) : <TemplateText text={truncate(prompt)} />}
            </Expandable>
          </div>
        )}
        {extensionParts(presetd).map(({ title, content }) => (
          <section key={title} className="stack-2" aria-label={title}>
            <h3>{title}</h3>
            {content}
          </section>
        ))}
      </div>
    </Panel>
  );
}

interface SavedValueProps {
  readonly name: string;
  readonly value: unknown;
}

/** About what fits next to the field name. */
const inlineCharactersMax = 60;

/** Short values inline; longer ones as JSON under a one-line summary. */
function SavedValue({ name, value }: SavedValueProps) {
  if (typeof value === 'string') return <code className={styles.value}>{truncate(value)}</code>;
  const inline = JSON.stringify(value);
  if (inline.length <= inlineCharactersMax) return <code className={styles.value}>{inline}</code>;
  return (
    <details className={styles.details}>
      <summary>{summaryOf(value)}</summary>
      <div className={styles.frame}>
        <Expandable label={name} className={styles.json}>
          {truncate(JSON.stringify(value, null, 2))}
        </Expandable>
      </div>
    </details>
  );
}

const namesMax = 5;

/** "3 items: get_weather, find_parcel, …" for a list, the field names for an object. */
function summaryOf(value: unknown): string {
  if (!Array.isArray(value)) return fieldNames(Object.keys(value ?? {}));
  const names = value.map(toolNameOf).filter((name) => name !== undefined);
  const count = value.length === 1 ? '1 item' : `${value.length} items`;
  return names.length === 0 ? count : `${count}: ${fieldNames(names)}`;
}

function fieldNames(names: readonly string[]): string {
  const rest = names.length - namesMax;
  return names.slice(0, namesMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** The name of a tool in any dialect, or its type if it has no name. */
function toolNameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  if ('name' in item && typeof item.name === 'string') return item.name;
  if ('function' in item) return toolNameOf(item.function);
  return 'type' in item && typeof item.type === 'string' ? item.type : undefined;
}

/** More than anyone reads next to an editor, and still fast to render. */
const previewCharactersMax = 20_000;

/** Cuts a long text and says how much is missing. */
function truncate(text: string): string {
  const rest = text.length - previewCharactersMax;
  if (rest <= 0) return text;
  return `${text.slice(0, previewCharactersMax).toWellFormed()}… and ${formatNumber(rest)} more characters`;
}

interface IgnoredPanelProps {
  readonly leftOut: NonNullable<Capture['dryRun']['data']>;
  readonly isStale: boolean;
}

/** The request fields that the version would not save, each with the server's reason. */
function IgnoredPanel({ leftOut, isStale }: IgnoredPanelProps) {
  const { left_out: fields = [], left_out_count: count = fields.length } = leftOut;
  const rest = count - fields.length;
  return (
    <Panel title="Ignored">
      <ul className={isStale ? styles.stale : styles.current} aria-busy={isStale}>
        {fields.map(({ field, reason, message }) => (
          <li key={field} className={styles.ignored}>
            <code>{field}</code>
            <span className={reason === 'unknown' ? styles.unknown : 'muted'}>{message}</span>
          </li>
        ))}
        {rest > 0 && <li className="muted">and {formatNumber(rest)} more</li>}
        {count === 0 && <li className="muted">Nothing. Every field is saved.</li>}
      </ul>
    </Panel>
  );
}

interface ProblemListProps extends Report {
  readonly onGoTo: (offset: number) => void;
}

/** Problems, then warnings. Each is a button that moves the cursor to it. */
function ProblemList({ onGoTo, ...report }: ProblemListProps) {
  const { text, problems, warnings } = report;
  return (
    <Panel title={describeReport(report)} isFlush>
      <ul className={classNames('scrollbar', styles.problemList)}>
        {problems.map((problem) => (
          <Item key={keyOf(problem)} {...problem} text={text} onGoTo={onGoTo} />
        ))}
        {warnings.map((warning) => (
          <Item key={keyOf(warning)} {...warning} text={text} isWarning onGoTo={onGoTo} />
        ))}
      </ul>
    </Panel>
  );
}

/** "2 problems, 1 warning". */
export function describeReport({ problems, warnings }: Report): string {
  return [
    problems.length > 0 && formatCount(problems.length, 'problem', 'problems'),
    warnings.length > 0 &&
      warnings.length < warningsMax &&
      formatCount(warnings.length, 'warning', 'warnings'),
    warnings.length === warningsMax && `${warningsMax} warnings or more`,
  ]
    .filter(Boolean)
    .join(', ');
}

interface ListedProblem extends TextProblem {
  readonly path?: string;
}

interface ItemProps extends ListedProblem {
  readonly text: string;
  readonly isWarning?: boolean;
  readonly onGoTo: (offset: number) => void;
}

/** One problem with its position in the text. */
function Item({ text, from, path, message, isWarning = false, onGoTo }: ItemProps) {
  const { line, column } = lineAndColumn(text, from);
  return (
    <li>
      <button
        type="button"
        className={classNames(styles.problem, isWarning && styles.warning)}
        onClick={() => onGoTo(from)}
      >
        <span className={styles.position}>
          Line {line}, column {column}
        </span>
        <span className={styles.message}>
          {path !== undefined && path !== '' && <code>{fieldNameOf(path)} </code>}
          {message}
        </span>
      </button>
    </li>
  );
}

function keyOf({ from, path, message }: ListedProblem): string {
  return `${from} ${path} ${message}`;
}

/** "messages.0.role" for "/messages/0/role". */
function fieldNameOf(pointer: string): string {
  return parsePointer(pointer).join('.');
}
