import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { recognizeDialect } from '../../../../../src/dialects/recognize-dialect.ts';
import { dialectOptions } from '../../../api/dialects.ts';
import { Badge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { classNames } from '../../../components/class-names.ts';
import { CodeBlock } from '../../../components/code-block.tsx';
import { highlightJson } from '../../../components/code-highlight.ts';
import { Dialog, DialogBody } from '../../../components/dialog.tsx';
import { SelectField } from '../../../components/fields.tsx';
import { Loading } from '../../../components/loading.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { readPrompt } from '../../../features/request/prompt-field.ts';
import styles from './run.module.css';
import { type CallRequest, type EffectiveRequest, previewRequest } from './run.ts';
import { useRunClient } from './run-client.tsx';

interface PreviewDialogProps {
  /** Name of the column. */
  readonly name: string;
  /** The call in a format, by default that of the version; undefined while it cannot be made. */
  readonly callIn: (format?: Dialect) => CallRequest | undefined;
  readonly onClose: () => void;
}

/** Shows the upstream request of a column, without calling the model. */
export function PreviewDialog({ name, callIn, onClose }: PreviewDialogProps) {
  const { api } = useRunClient();
  const [format, setFormat] = useState(() => callIn()?.dialect ?? 'chat-completions');
  const { data, error, refetch } = useQuery({
    // Used by this dialog alone: the inputs of a call may be megabytes.
    queryKey: ['preview', useId(), format],
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const call = callIn(format);
      if (call === undefined) throw new Error('The draft is not valid JSON.');
      return previewRequest(api, call, signal);
    },
  });
  return (
    <Dialog title={`Request of ${name}`} onClose={onClose} isWide>
      <DialogBody
        footer={
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        }
      >
        <SelectField
          label="Format of the call"
          value={format}
          options={dialectOptions}
          hint="Apps can call every preset in any of these formats. Runs use the format of the version."
          onChange={setFormat}
        />
        {error !== null && (
          <ErrorNotice error={error} title="The call would fail" retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Loading lines={8} label="Loading request" />}
        {data !== undefined && error === null && (
          <>
            <RenderedPrompt body={data.body} />
            <EffectiveRequestView request={data} />
          </>
        )}
      </DialogBody>
    </Dialog>
  );
}

/** The system prompt as text, with the values of its variables: most people look for that. */
function RenderedPrompt({ body }: Pick<EffectiveRequest, 'body'>) {
  // That of the upstream, which may differ from that of the call.
  const dialect = recognizeDialect(body);
  const prompt = dialect === undefined ? '' : readPrompt(body, dialect);
  if (prompt === '') return null;
  return (
    <div className={classNames('stack-2', styles.prompt)}>
      <h3>Rendered prompt</h3>
      <CodeBlock label="rendered prompt" code={prompt} isWrapped isBounded />
    </div>
  );
}

/** The request after presetd has applied the preset, as the upstream would receive it. */
function EffectiveRequestView({ request }: { readonly request: EffectiveRequest }) {
  const { preset, upstream, method, url, headers, fallbacks, body } = request;
  return (
    <section className="stack-2" aria-label="Effective request">
      <h3>Effective request</h3>
      <p className="muted">
        The request to the upstream {upstream}
        {preset !== null && <>, with {preset} applied</>}.
      </p>
      <p className={styles.address}>
        <Badge>{method}</Badge> <code>{url}</code>
      </p>
      <FieldNames label="Overridden by the request:" fields={request.overridden_fields} />
      <FieldNames
        label="Changed by the policy of the preset:"
        fields={request.policy_fields.map(({ name }) => name)}
      />
      <FieldNames label="Variables with their default value:" fields={request.default_variables ?? []} />
      <FieldNames
        label="Dropped because the upstream or the format does not support them:"
        fields={request.dropped_fields}
      />
      {fallbacks.length > 0 && (
        <p>
          Fallbacks:{' '}
          {fallbacks
            .map(({ upstream: next, model }) => (model === null ? next : `${model} at ${next}`))
            .join(', ')}
        </p>
      )}
      <CodeBlock
        label="request body"
        code={JSON.stringify(body, undefined, 2)}
        highlight={highlightJson}
        isWrapped
        isBounded
      />
      <details className={styles.headers}>
        <summary>Headers</summary>
        <CodeBlock label="request headers" code={headerText(headers)} isWrapped />
      </details>
    </section>
  );
}

/** Renders nothing for an empty list. */
function FieldNames({ label, fields }: { readonly label: string; readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {fields.map((field, index) => (
        <span key={field}>
          {index > 0 && ', '}
          <code>{field}</code>
        </span>
      ))}
    </p>
  );
}

function headerText(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}
