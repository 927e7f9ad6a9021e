import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useSearch } from 'wouter';
import type { Generation } from '../../../../src/api/generations.ts';
import type { ErrorCode } from '../../../../src/core/errors.ts';
import { callErrors } from '../../../../src/core/ledger/call-error.ts';
import { formatAmount, formatCost } from '../../../../src/core/ledger/metric-text.ts';
import { useSession } from '../../api/session.ts';
import { useCall } from '../../api/usage.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { capitalize } from '../../components/text.ts';
import { exactTimes, Time } from '../../components/time.tsx';
import { CallContent } from '../../features/calls/call-content.tsx';
import { PersonName } from '../../features/organization/person-name.tsx';
import { CalledPreset, StatusBadge, selectionText } from './call-parts.tsx';
import { priceLines, sourceText, splitFallback, tokensPerSecond } from './call-texts.ts';
import styles from './calls.module.css';
import { TimingBar } from './timing-bar.tsx';

interface CallPanelProps {
  /** The id of the call, or the upstream's id of its response. */
  readonly id: string;
  /** The call, if the list has it. */
  readonly known: Generation | undefined;
  readonly onClose: () => void;
}

/** One call in detail, beside the list, which stays where it is. */
export function CallPanel({ id, known, onClose }: CallPanelProps) {
  const { data, error, refetch } = useCall(id, known);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    const closeOnEscape = (event: KeyboardEvent) => {
      const isOfPopup = event.defaultPrevented || document.querySelector('dialog:modal') !== null;
      if (event.key === 'Escape' && !isOfPopup) close.current();
    };
    addEventListener('keydown', closeOnEscape);
    return () => removeEventListener('keydown', closeOnEscape);
  }, []);
  return (
    <section className={styles.panel} aria-label="Call">
      <header className={styles.head}>
        <h2 ref={heading} tabIndex={-1}>
          Call
        </h2>
        {data && <StatusBadge status={data.presetd.status} />}
        {data && (
          <div className={styles.when}>
            <Time at={data.created_at} />
            <span className="note">{exactTimes(data.created_at)[0]}</span>
          </div>
        )}
        <Button variant="quiet" className={styles.close} aria-label="Close" title="Close" onClick={onClose}>
          <X aria-hidden="true" />
        </Button>
      </header>
      {data !== undefined ? (
        <CallDetails call={data} />
      ) : error !== null ? (
        <div className={styles.section}>
          <ErrorNotice error={error} title="Could not load the call" retry={() => void refetch()} />
        </div>
      ) : (
        <div className={styles.section}>
          <Loading label="Loading call" />
        </div>
      )}
    </section>
  );
}

/** The parts of a call, from what it was to how to find it again. */
function CallDetails({ call }: { readonly call: Generation }) {
  return (
    <>
      {call.presetd.error_code !== null && <Failure code={call.presetd.error_code} call={call} />}
      <Target call={call} />
      <Section title="Content">
        <CallContent call={call} />
      </Section>
      {call.presetd.feedback.length > 0 && <Feedback call={call} />}
      <Timing call={call} />
      <Tokens call={call} />
      <Cost call={call} />
      <Caller call={call} />
      <Ids call={call} />
    </>
  );
}

interface PartProps {
  readonly call: Generation;
}

function Failure({ call, code }: PartProps & { readonly code: ErrorCode }) {
  return (
    <Section title="Error">
      <Fact name="Reason">
        <FilterLink name="error" value={code}>
          {callErrors[code]}
        </FilterLink>
        <span className="note mono">{code}</span>
      </Fact>
      <Fact name="Message">{call.presetd.error_message}</Fact>
    </Section>
  );
}

function Target({ call }: PartProps) {
  const { account, workspace } = useSession();
  const { presetd, model } = call;
  const other = account.workspaces.find(({ id }) => id === call.workspace_id && id !== workspace?.id);
  return (
    <Section title="Request">
      <Fact name="Preset">
        <CalledPreset call={call} workspace={other?.slug} />
        {presetd.selection !== null && <span className="note">{selectionText(presetd)}</span>}
      </Fact>
      <Fact name="Model">
        {model || 'None'}
        {presetd.requested_model !== null && presetd.requested_model !== model && (
          <span className="note">Requested: {presetd.requested_model}</span>
        )}
        {presetd.responding_model !== null && presetd.responding_model !== model && (
          <span className="note">The response names {presetd.responding_model}</span>
        )}
      </Fact>
      <Fact name="Upstream">{presetd.upstream ?? 'None was tried'}</Fact>
      {presetd.fallbacks.length > 0 && (
        <Fact name="Fallbacks">
          <ol className={styles.fallbacks}>
            {presetd.fallbacks.map((text, index) => {
              const { target, reason } = splitFallback(text);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the same model may be tried twice
                <li key={index}>
                  <span className="mono">{target}</span> <span className="note">{reason}</span>
                </li>
              );
            })}
          </ol>
        </Fact>
      )}
      <Fact name="Dialect">
        {presetd.dialect}
        {call.streamed === true && ', streamed'}
      </Fact>
      {call.native_finish_reason !== null && <Fact name="Finish reason">{call.native_finish_reason}</Fact>}
      {other !== undefined && <Fact name="Workspace">{other.name}</Fact>}
    </Section>
  );
}

function Timing({ call }: PartProps) {
  const { presetd, tokens_completion: output, native_tokens_reasoning: reasoning } = call;
  const rate = tokensPerSecond(presetd, output, reasoning);
  return (
    <Section title="Timing">
      <TimingBar presetd={presetd} />
      {rate !== undefined && (
        <Fact name="Output speed">{formatAmount(rate, rate < 100 ? 1 : 0)} tokens per second</Fact>
      )}
    </Section>
  );
}

function Tokens({ call }: PartProps) {
  const { presetd, native_tokens_cached: cached, native_tokens_reasoning: reasoning } = call;
  const { tokens_cache_write: written, is_estimated: isEstimated } = presetd;
  return (
    <Section
      title="Tokens"
      aside={
        isEstimated && (
          <span title="The response was cut off, or the upstream reported no usage. The missing part is estimated.">
            <Badge tone="warning">Estimated</Badge>
          </span>
        )
      }
    >
      <Fact name="Input">
        {formatAmount(call.tokens_prompt)}
        {cached !== null && <span className="note">{formatAmount(cached)} from the cache</span>}
        {written !== null && <span className="note">{formatAmount(written)} written to the cache</span>}
      </Fact>
      <Fact name="Output">
        {formatAmount(call.tokens_completion)}
        {reasoning !== null && <span className="note">{formatAmount(reasoning)} for reasoning</span>}
      </Fact>
    </Section>
  );
}

function Cost({ call: { presetd } }: PartProps) {
  const { cost, price, cost_source: source } = presetd;
  return (
    <Section title="Cost">
      <Fact name="Cost">
        <span className="strong">{cost === null ? 'Unknown' : formatCost(cost)}</span>
        <span className="note">
          {cost === null ? (
            <>
              No price is known.{' '}
              <Link href="~/guides/usage#what-a-call-costs">Set one in the upstream file</Link>
            </>
          ) : (
            sourceText(source)
          )}
        </span>
      </Fact>
      {price !== null && (
        <Fact name="Price used">
          <ul>
            {priceLines(price).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Fact>
      )}
    </Section>
  );
}

function Caller({ call }: PartProps) {
  const { presetd } = call;
  const { key_name: name, key_label: label, key_id: keyId, user_email: email } = presetd;
  return (
    <Section title="Caller">
      <Fact name="Person">
        <PersonName email={email ?? presetd.user_id} />
      </Fact>
      <Fact name="Key">
        {keyId === null ? (
          'Signed in, no key'
        ) : (
          <FilterLink name="key" value={keyId}>
            {name ?? label ?? 'A deleted key'}
          </FilterLink>
        )}
        {name !== null && label !== null && <span className="note mono">{label}</span>}
      </Fact>
      {presetd.purpose === 'workbench' && <Fact name="Purpose">Run in the workbench</Fact>}
      {presetd.app_title !== null && <Fact name="App">{presetd.app_title}</Fact>}
      {call.external_user !== null && (
        <Fact name="End user">
          <FilterLink name="end_user" value={call.external_user}>
            {call.external_user}
          </FilterLink>
        </Fact>
      )}
      {call.session_id !== null && (
        <Fact name="Session">
          <FilterLink name="session" value={call.session_id}>
            {call.session_id}
          </FilterLink>
        </Fact>
      )}
    </Section>
  );
}

function Feedback({ call }: PartProps) {
  return (
    <Section title="Feedback">
      {call.presetd.feedback.map(({ category, comment }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: feedback has no id, and only grows
        <Fact key={index} name={capitalize(category.replaceAll('_', ' '))}>
          {comment ?? 'No comment'}
        </Fact>
      ))}
    </Section>
  );
}

function Ids({ call }: PartProps) {
  return (
    <Section title="IDs">
      <Fact name="Call">
        <Copied text={call.id} what="id of the call" />
      </Fact>
      {call.upstream_id !== null && (
        <Fact name="Response of the upstream">
          <Copied text={call.upstream_id} what="id of the response" />
        </Fact>
      )}
    </Section>
  );
}

function Copied({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className={styles.copied}>
      <span className="mono">{text}</span>
      <CopyButton text={text} what={what} caption="" variant="quiet" />
    </span>
  );
}

interface FilterLinkProps {
  readonly name: string;
  readonly value: string;
  readonly children: ReactNode;
}

/** Lists the calls that have the same value. */
function FilterLink({ name, value, children }: FilterLinkProps) {
  const search = new URLSearchParams(useSearch());
  search.set(name, value);
  return (
    <Link href={`/calls?${search}`} title="List calls with the same value">
      {children}
    </Link>
  );
}

interface SectionProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the panel: facts, or anything else that is known about the call. */
function Section({ title, aside, children }: SectionProps) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHead}>
        <h3>{title}</h3>
        {aside}
      </div>
      <div className={styles.facts}>{children}</div>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <dl className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </dl>
  );
}
