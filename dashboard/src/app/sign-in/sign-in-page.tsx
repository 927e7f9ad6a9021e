import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import type { SignInOptions } from '../../../../src/api/sign-in.ts';
import { createApi } from '../../api/api.ts';
import { providerPath, readReturnPath } from '../../components/addresses.ts';
import { Button, buttonClass } from '../../components/button.tsx';
import { CardPage, CheckingPage } from '../../components/card-page.tsx';
import { TextField } from '../../components/fields.tsx';
import { messageOf, Notice } from '../../components/notice.tsx';
import { Pending } from '../../components/pending.tsx';
import { useAuthentication } from '../authentication.tsx';
import styles from './sign-in.module.css';
import { signInError } from './sign-in-error.ts';

/** Signs in, and continues at the address that `return_to` names. */
export function SignInPage() {
  const { state } = useAuthentication();
  const [search] = useSearchParams();
  const returnTo = readReturnPath(search.get('return_to'), location.origin);
  const [chosen, setChosen] = useState<'account' | 'key'>();
  if (state.kind === 'in') return <Redirect to={returnTo} replace />;
  if (state.kind === 'checking') return <CheckingPage error={state.error} onRetry={state.retry} />;
  const { notice, rejected, usedKey } = state;
  const usesKey = (chosen ?? (usedKey ? 'key' : 'account')) === 'key';
  return (
    <CardPage title="Sign in to presetd" foot={<a href="/docs">API reference</a>}>
      {notice !== undefined && <Notice>{notice}</Notice>}
      {notice === undefined && <ProviderError code={search.get('error')} />}
      {usesKey ? <KeyForm rejected={rejected} /> : <AccountForms returnTo={returnTo} />}
      <Button variant="quiet" onClick={() => setChosen(usesKey ? 'account' : 'key')}>
        {usesKey ? 'Use your account instead' : 'Use a key instead'}
      </Button>
    </CardPage>
  );
}

/** The server redirects here with a code if a provider did not sign the person in. */
function ProviderError({ code }: { readonly code: string | null }) {
  const error = signInError(code);
  return (
    error && (
      <Notice kind="danger" title={error.title}>
        {error.text}
      </Notice>
    )
  );
}

/** Calls without a session. A wrong password is a 401 that ends nothing. */
const api = createApi(undefined);

/** Everything that this server offers: providers first, since most people use them. */
function AccountForms({ returnTo }: { readonly returnTo: string }) {
  const query = useQuery({
    queryKey: ['sign-in options'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<SignInOptions> =>
      (await api.call('GET /sign-in', {}, { signal })).content.data,
  });
  const { data } = query;
  if (data === undefined) return <Pending query={query} lines={4} label="Loading" />;
  return (
    <>
      {data.providers.length > 0 && (
        <ul className={styles.providers} aria-label="Providers">
          {data.providers.map(({ id, name }) => (
            <li key={id}>
              {/* Not a page of the dashboard: the server redirects to the provider. */}
              <a href={providerPath(id, returnTo)} className={buttonClass({ className: styles.provider })}>
                Continue with {name}
              </a>
            </li>
          ))}
        </ul>
      )}
      {data.providers.length > 0 && data.password && <p className={styles.or}>or</p>}
      {data.password && <PasswordForm />}
      <p className={styles.hint}>
        {data.password ? 'No account, or no password? ' : 'No account? '}
        Ask an admin for a <span className={styles.whole}>sign-in link</span>, or run{' '}
        <code className={styles.whole}>presetd sign-in-link</code> on the server.
      </p>
    </>
  );
}

type Problems = Partial<Readonly<Record<'email' | 'password', string>>>;

function PasswordForm() {
  const { begin } = useAuthentication();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [problems, setProblems] = useState<Problems>({});
  const signIn = useMutation({
    mutationFn: async () =>
      begin(
        (await api.call('POST /sign-in/password', { body: { email: email.trim(), password } })).content.data,
      ),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const missing = {
      ...(email.trim() === '' && { email: 'Enter your email address.' }),
      ...(password === '' && { password: 'Enter your password.' }),
    };
    setProblems(missing);
    const [first] = Object.keys(missing);
    if (first === undefined) signIn.mutate();
    else event.currentTarget.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  }
  return (
    <form className="stack-3" onSubmit={submit} noValidate>
      {signIn.error && <Notice kind="danger">{messageOf(signIn.error)}</Notice>}
      <TextField
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        error={problems.email}
        maxLength={254}
        focusOnMount
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={problems.password}
      />
      <Button type="submit" variant="primary" isBusy={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}

interface KeyFormProps {
  /** Put back into the field for correction, with the server's message. */
  readonly rejected: { readonly key: string; readonly message: string } | undefined;
}

/** Checks only what would make the request impossible; the server decides the rest. */
function KeyForm({ rejected }: KeyFormProps) {
  const { signInWithKey } = useAuthentication();
  const [key, setKey] = useState(rejected?.key ?? '');
  const [problem, setProblem] = useState<string>();
  function submit(event: FormEvent) {
    event.preventDefault();
    const typed = key.trim();
    if (typed === '') return setProblem('Enter a key.');
    // Anything else cannot be sent in a header.
    if (!/^[\x21-\x7e]+$/.test(typed)) return setProblem('Keys contain only ASCII characters and no spaces.');
    signInWithKey(typed);
  }
  return (
    <form className="stack-3" onSubmit={submit} noValidate>
      {rejected !== undefined && <Notice kind="danger">{rejected.message}</Notice>}
      <TextField
        label="Key"
        type="password"
        value={key}
        onChange={(value) => {
          setKey(value);
          setProblem(undefined);
        }}
        error={problem}
        hint="An API key gives access to one workspace, a management key to the whole organization. It stays in this tab until you sign out or close it."
        // A key is not a password that the browser should offer to store.
        autoComplete="off"
        isMono
        focusOnMount
        placeholder="sk-pst-v1-…"
      />
      <Button type="submit" variant="primary">
        Sign in
      </Button>
    </form>
  );
}
