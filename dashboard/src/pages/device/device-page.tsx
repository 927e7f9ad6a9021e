import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { DeviceRequest } from '../../../../src/api/sign-in.ts';
import { isStatus } from '../../api/api-error.ts';
import { personName } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CardPage } from '../../components/card-page.tsx';
import { TextField } from '../../components/fields.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Pending } from '../../components/pending.tsx';
import { Time } from '../../components/time.tsx';
import styles from './device.module.css';

/**
 * Approves a command-line sign-in by the code that `presetd login` shows. The code is never in the
 * address: people must type it, so that an attacker cannot send them a link to their own request.
 */
export function DevicePage() {
  const { account, signOut } = useSession();
  const [code, setCode] = useState('');
  if (account.credential.kind !== 'session')
    return (
      <CardPage title="Approve a command-line sign-in">
        <Notice kind="warning" title="You are signed in with a key">
          Only an account can approve a command-line sign-in.
        </Notice>
        <Button onClick={() => void signOut()}>Sign in another way</Button>
      </CardPage>
    );
  return (
    <CardPage
      title="Approve a command-line sign-in"
      lead={code === '' ? 'Enter the code that presetd login shows.' : undefined}
      foot={
        <span className="muted">
          Signed in as {personName(account) || account.email} <a href="/">Go to presets</a>
        </span>
      }
    >
      {code === '' ? (
        <CodeForm onEnter={setCode} />
      ) : (
        <Decision key={code} code={code} onOther={() => setCode('')} />
      )}
    </CardPage>
  );
}

function CodeForm({ onEnter }: { readonly onEnter: (code: string) => void }) {
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = code.trim();
    if (typed === '') setProblem('Enter the code.');
    else onEnter(typed);
  };
  return (
    <form className="stack-3" onSubmit={submit} noValidate>
      <TextField
        label="Code"
        value={code}
        onChange={(typed) => {
          setCode(typed);
          setProblem(undefined);
        }}
        error={problem}
        placeholder="BCDF-GHJK"
        maxLength={32}
        autoComplete="off"
        isMono
        focusOnMount
      />
      <Button type="submit" variant="primary">
        Continue
      </Button>
    </form>
  );
}

interface DecisionProps {
  readonly code: string;
  /** Asks for another code. */
  readonly onOther: () => void;
}

function Decision({ code, onOther }: DecisionProps) {
  const { api } = useSession();
  const queryClient = useQueryClient();
  const queryKey = ['device', code];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<DeviceRequest> =>
      (await api.call('GET /sign-in/device/:user_code', { params: { user_code: code } }, { signal })).content
        .data,
  });
  const deciding = useMutation({
    mutationFn: async (approve: boolean) => {
      const input = { params: { user_code: code }, body: { approve } };
      const { content } = await api.call('POST /sign-in/device/:user_code', input);
      queryClient.setQueryData(queryKey, content.data);
    },
  });
  const otherCode = (
    <Button onClick={onOther} variant="quiet">
      Enter another code
    </Button>
  );
  if (isStatus(error, 404) || isStatus(error, 400))
    return (
      <>
        <Notice kind="danger" title="This code is not valid">
          {error.message}
        </Notice>
        {otherCode}
      </>
    );
  if (data === undefined) return <Pending query={{ error, refetch }} lines={4} label="Loading" />;
  if (data.status !== 'pending') return <Decided request={data} />;
  return (
    <>
      <p className={styles.code}>{data.user_code}</p>
      <dl className={styles.facts}>
        <Fact name="Client name">{data.client_name}</Fact>
        <Fact name="Address">
          <span className="mono">{data.address}</span>
        </Fact>
        <Fact name="Requested">
          <Time at={data.created_at} />
        </Fact>
      </dl>
      <Notice kind="warning">
        Approve only if you just ran <code>presetd login</code> on that machine and it shows this code. The
        command line can then act as you for 90 days.
      </Notice>
      {deciding.error && <ErrorNotice error={deciding.error} />}
      <div className={styles.buttons}>
        <Button isBusy={deciding.isPending} onClick={() => deciding.mutate(false)}>
          Deny
        </Button>
        <Button variant="primary" isBusy={deciding.isPending} onClick={() => deciding.mutate(true)}>
          Approve
        </Button>
      </div>
      {otherCode}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Decided({ request: { status, client_name } }: { readonly request: DeviceRequest }) {
  return (
    <>
      {status === 'approved' ? (
        <Notice kind="info" title={`${client_name} is signed in`}>
          You can close this page and continue in the terminal. Your account page lists the key.
        </Notice>
      ) : (
        <Notice title={`${client_name} was denied`}>
          The command line gets no access. You can close this page.
        </Notice>
      )}
      <ButtonLink href="/account">Go to your account</ButtonLink>
    </>
  );
}
