import { useMutation } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { prettyJson } from '../../api/exact-json.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import type { Operation, Parameter } from './api-document.ts';
import styles from './api-reference.module.css';
import { exampleOf, type Resolve } from './schema-text.ts';
import { findProblems, toCurl, toHttpMessage, valueKey } from './try-request.ts';

interface TryItProps {
  readonly operation: Operation;
  readonly resolve: Resolve;
  /** Undefined to send the session cookie. */
  readonly apiKey: string | undefined;
  /** The workspace to suggest; undefined for none. */
  readonly workspaceId: string | undefined;
}

interface TriedResponse {
  readonly status: number;
  readonly milliseconds: number;
  readonly headers: string;
  readonly text: string;
}

/** A form that sends a request of this operation and shows the response. */
export function TryIt({ operation, resolve, apiKey, workspaceId }: TryItProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    workspaceId === undefined ? {} : { [valueKey({ in: 'query', name: 'workspace_id' })]: workspaceId },
  );
  const [body, setBody] = useState(() =>
    operation.body?.type === 'application/json'
      ? JSON.stringify(exampleOf(operation.body.schema, resolve), null, 2)
      : '',
  );
  const [isConfirming, setIsConfirming] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const message = toHttpMessage(operation, { values, body });
  const running = useRef<AbortController>(undefined);
  const sendButton = useRef<HTMLButtonElement>(null);
  // Abort on leaving: the response is not shown any more, and a stream may be billed until it ends.
  useEffect(() => () => running.current?.abort(), []);
  const request = useMutation({
    // The server may run on this machine and work without a network; and nothing is sent twice.
    retry: false,
    mutationFn: async (): Promise<TriedResponse> => {
      const controller = new AbortController();
      running.current = controller;
      const startedAt = performance.now();
      const response = await fetch(message.path, {
        method: message.method,
        headers: { ...message.headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
        ...(message.body !== undefined && { body: message.body }),
        cache: 'no-store',
        credentials: apiKey === undefined ? 'same-origin' : 'omit',
        signal: controller.signal,
      });
      const text = await readText(response);
      return {
        status: response.status,
        milliseconds: Math.round(performance.now() - startedAt),
        headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
        text,
      };
    },
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = findProblems(operation, { values, body });
    setProblems(found);
    if (Object.keys(found).length > 0 || request.isPending) return;
    if (message.method === 'DELETE') setIsConfirming(true);
    else request.mutate();
  };
  const cancel = () => {
    running.current?.abort();
    request.reset();
    sendButton.current?.focus();
  };
  const toField = (parameter: Parameter) => (
    <ParameterField
      key={valueKey(parameter)}
      parameter={parameter}
      value={values[valueKey(parameter)] ?? ''}
      onChange={(value) => setValues({ ...values, [valueKey(parameter)]: value })}
      error={problems[valueKey(parameter)]}
    />
  );
  const headers = operation.parameters.filter((each) => each.in === 'header');
  const parameters = operation.parameters.filter((each) => each.in !== 'header');
  return (
    <section className={styles.tryItPanel} aria-label="Try it">
      <form className="stack-3" onSubmit={send} noValidate>
        <h2>Try it</h2>
        {parameters.map(toField)}
        {headers.length > 0 && (
          <details>
            <summary>Request headers</summary>
            <div className="stack-3">{headers.map(toField)}</div>
          </details>
        )}
        {operation.body !== undefined && (
          <TextField
            label={`Body (${operation.body.type})`}
            lines={8}
            isMono
            value={body}
            onChange={setBody}
          />
        )}
        <div className={styles.buttons}>
          <Button
            ref={sendButton}
            type="submit"
            variant={message.method === 'DELETE' ? 'danger' : 'primary'}
            isBusy={request.isPending}
          >
            <Play aria-hidden="true" />
            Send request
          </Button>
          {request.isPending && (
            <Button variant="quiet" onClick={cancel}>
              Cancel
            </Button>
          )}
        </div>
      </form>
      {isConfirming && (
        <ConfirmDialog
          title="Send this request?"
          submitLabel="Send request"
          change={{ isPending: false, error: null }}
          onSubmit={() => {
            setIsConfirming(false);
            request.mutate();
          }}
          onClose={() => setIsConfirming(false)}
        >
          <p>
            <code>DELETE {message.path}</code>
          </p>
        </ConfirmDialog>
      )}
      {request.error !== null && <ErrorNotice error={request.error} title="No response" />}
      {request.data !== undefined && <ResponseView response={request.data} />}
      <details>
        <summary>curl</summary>
        <CodeBlock label="curl command" isWrapped code={toCurl(message, location.origin)} />
      </details>
    </section>
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

function ParameterField({ parameter, value, onChange, error }: ParameterFieldProps) {
  const { name, schema, required = false } = parameter;
  const shared = { label: name, value, onChange, isRequired: required, error };
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
  if (choices !== undefined)
    return (
      <SelectField
        {...shared}
        options={[['', '–'] as const, ...choices.map((each) => [each, each] as const)]}
      />
    );
  return <TextField {...shared} isMono />;
}

function ResponseView({
  response: { status, milliseconds, headers, text },
}: {
  readonly response: TriedResponse;
}) {
  return (
    <div className="stack-2" role="status">
      <p className={styles.outcome}>
        <Badge tone={status < 300 ? 'neutral' : status < 500 ? 'warning' : 'danger'}>{status}</Badge>
        <span className="note">{milliseconds} ms</span>
      </p>
      <CodeBlock label="response" isBounded code={text === '' ? '(empty)' : text} />
      <details>
        <summary>Response headers</summary>
        <CodeBlock label="response headers" isWrapped code={headers} />
      </details>
    </div>
  );
}

/** The body for people: JSON is indented, and what is not text is described. */
async function readText(response: Response): Promise<string> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^(text\/|application\/(json|x-ndjson))/.test(type)) {
    const { size } = await response.blob();
    return size === 0 ? '' : `${size} bytes of ${type || 'unknown type'}`;
  }
  const text = await response.text();
  return /^application\/json/.test(type) ? prettyJson(text) : text;
}
