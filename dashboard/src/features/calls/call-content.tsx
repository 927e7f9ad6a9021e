import { useState } from 'react';
import { Link } from 'wouter';
import type { GenerationContent } from '../../../../src/api/generation-content.ts';
import type { Generation } from '../../../../src/api/generations.ts';
import type { ContentLog } from '../../../../src/api/workspaces.ts';
import { useCallContent, useContentLog } from '../../api/call-content.ts';
import { mayIn } from '../../api/rights.ts';
import { useSession } from '../../api/session.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock, Expandable } from '../../components/code-block.tsx';
import { highlightJson } from '../../components/code-highlight.ts';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { capitalize, formatCount } from '../../components/text.ts';
import styles from './call-content.module.css';
import { type MessageText, messageTexts } from './message-texts.ts';
import { SaveCaseDialog } from './save-case-dialog.tsx';

interface CallContentProps {
  readonly call: Generation;
}

/**
 * The logged request and response of a call. They are loaded on request only, because every read is
 * recorded in the audit log. A call of a preset can be saved as one of its test cases.
 */
export function CallContent({ call }: CallContentProps) {
  const { account, workspaceId } = useSession();
  const [isWanted, setIsWanted] = useState(false);
  const { data, error, refetch } = useCallContent(call.id, isWanted);
  const workspace = account.workspaces.find(({ id }) => id === call.workspace_id);
  const mayRead =
    account.organization?.role === 'org:admin' || workspace?.role === 'admin'
      ? account.credential.kind !== 'api'
      : false;
  if (!mayRead)
    return <p className="note">Admins of the workspace can read logged requests and responses.</p>;
  if (error !== null)
    return <ErrorNotice error={error} title="Could not load the content" retry={() => void refetch()} />;
  const isLogged = workspace?.is_content_logged !== false;
  if (data === null) return <NotStored call={call} isLogged={isLogged} />;
  if (data === undefined)
    return isWanted ? (
      <Loading label="Loading content" />
    ) : (
      <div className={styles.ask}>
        {/* What was logged before the log was turned off can still be read. */}
        <Button isSmall onClick={() => setIsWanted(true)}>
          {isLogged ? 'Show content' : 'Look for earlier content'}
        </Button>
        <p className="note">
          {!isLogged && (
            <>
              The <Link href="~/guides/content-log">content log</Link> of this workspace is off.{' '}
            </>
          )}
          Each view is recorded in the audit log.
        </p>
      </div>
    );
  const maySave =
    workspace !== undefined && workspace.id === workspaceId && mayIn(account, workspace, 'write');
  return <LoggedContent content={data} preset={maySave ? call.presetd.preset : null} />;
}

interface NotStoredProps extends CallContentProps {
  /** Whether the workspace logs calls now. */
  readonly isLogged: boolean;
}

/** Says why there is no content, as exactly as the settings of the log do. */
function NotStored({ call, isLogged }: NotStoredProps) {
  const { data: settings } = useContentLog(call.workspace_id, isLogged);
  return (
    <p className="note">
      {isLogged && settings === undefined ? '\u00a0' : `Not stored: ${reasonOf(call, settings)} `}
      <Link href="~/guides/content-log">Content log</Link>
    </p>
  );
}

/** Without settings, the log is off. */
export function reasonOf(
  { created_at: at }: Pick<Generation, 'created_at'>,
  settings: Pick<ContentLog, 'retention_days' | 'sampling_rate'> | undefined,
  now = Date.now(),
): string {
  if (settings === undefined) return 'the content log of this workspace is off.';
  const { retention_days: days, sampling_rate: rate } = settings;
  if (now - Date.parse(at) > days * 86_400_000)
    return `content is deleted after ${formatCount(days, 'day', 'days')}.`;
  const sample = rate < 1 ? ` it was not in the sample of ${Number((rate * 100).toPrecision(3))}%,` : '';
  return `the log was off when the call was made,${sample} or the request had "store": false.`;
}

interface LoggedContentProps {
  readonly content: GenerationContent;
  /** The preset that the user may add a test case to; null for none. */
  readonly preset: string | null;
}

function LoggedContent({ content, preset }: LoggedContentProps) {
  const [isSaving, setIsSaving] = useState(false);
  const { input, output, error, presetd } = content;
  const { truncated, request, sent, sent_dialect: sentDialect, response, case: testCase } = presetd;
  const isCut = (part: (typeof truncated)[number]) => truncated.includes(part);
  return (
    <div className={styles.content}>
      {preset !== null && (
        <div className={styles.actions}>
          <Button isSmall disabled={testCase === null} onClick={() => setIsSaving(true)}>
            Save as test case…
          </Button>
          {testCase === null && (
            <span className="note">
              The stored request is incomplete, so it cannot be saved as a test case.
            </span>
          )}
        </div>
      )}
      <ol className={styles.messages}>
        {messageTexts(input).map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a call never change
          <Message key={index} {...message} />
        ))}
        {output.reasoning !== null && <Message speaker="reasoning" text={output.reasoning} />}
        {output.completion !== null && <Message speaker="response" text={output.completion} />}
      </ol>
      {error !== null && (
        <Notice kind="warning" title={`The client got ${error.status ?? 'an error'}`}>
          {error.message ?? 'The response has no message.'}
          {error.previous_errors.length > 0 && (
            <ul className={styles.attempts}>
              {error.previous_errors.map(({ code, message, provider_name: upstream }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an upstream may be tried twice
                <li key={index}>
                  Earlier attempt: {upstream} returned {code}: {message}
                </li>
              ))}
            </ul>
          )}
        </Notice>
      )}
      <div>
        <Part title="Request" value={request} isCut={isCut('request')} />
        {sent !== null && (
          <Part
            title={sentDialect === null ? 'Sent to the upstream' : `Sent to the upstream, as ${sentDialect}`}
            value={sent}
            isCut={isCut('sent')}
          />
        )}
        <Part title="Response" value={response} isCut={isCut('response')} />
      </div>
      {isSaving && preset !== null && testCase !== null && (
        <SaveCaseDialog slug={preset} content={testCase} onClose={() => setIsSaving(false)} />
      )}
    </div>
  );
}

function Message({ speaker, text }: MessageText) {
  return (
    <li className={styles.message} data-speaker={speaker}>
      <span className={styles.speaker}>{capitalize(speaker)}</span>
      <Expandable label={`Text of ${speaker}`} className={styles.text}>
        {text}
      </Expandable>
    </li>
  );
}

interface PartProps {
  readonly title: string;
  readonly value: unknown;
  readonly isCut: boolean;
}

/** A body as JSON, closed until somebody wants to see it. */
function Part({ title, value, isCut }: PartProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles.part} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {title}
        {isCut && (
          <span title="It was longer than the limit of the workspace, or did not end.">
            <Badge tone="warning">Not whole</Badge>
          </span>
        )}
      </summary>
      {isOpen &&
        (value === null || value === undefined ? (
          <p className="note">Not stored.</p>
        ) : (
          <CodeBlock label={title} code={jsonOf(value)} highlight={highlightJson} isWrapped isBounded />
        ))}
    </details>
  );
}

function jsonOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
