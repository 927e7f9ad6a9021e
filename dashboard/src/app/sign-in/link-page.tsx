/**
 * The page of one-time links: invitations, and links for people who cannot sign in otherwise.
 *
 * The token is in the fragment of the address, which browsers do not send to servers, and leaves the
 * address at once, so that it does not stay in the history. Using it signs the person in. They then
 * choose a name and a password, or continue without.
 */

import { useEffect, useState } from 'react';
import { Redirect } from 'wouter';
import { createApi } from '../../api/api.ts';
import { isStatus } from '../../api/api-error.ts';
import { ButtonLink } from '../../components/button.tsx';
import { CardPage, CheckingPage } from '../../components/card-page.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { useAuthentication } from '../authentication.tsx';
import { WelcomePage } from './welcome-page.tsx';

type Progress =
  | { readonly kind: 'sending' | 'incomplete' | 'signed-in' }
  | { readonly kind: 'failed'; readonly error: unknown; readonly token: string };

export function LinkPage() {
  const { begin, state } = useAuthentication();
  const [progress, setProgress] = useState<Progress>({ kind: 'sending' });
  const send = async (token: string) => {
    setProgress({ kind: 'sending' });
    try {
      const { content } = await createApi(undefined).call('POST /sign-in/link', { body: { token } });
      begin(content.data);
      setProgress({ kind: 'signed-in' });
    } catch (error) {
      setProgress({ kind: 'failed', error, token });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a token works once, so it is sent once
  useEffect(() => {
    const token = takeToken();
    if (token !== '') void send(token);
    // A reload of this page after the sign-in has no token.
    else if (progress.kind === 'sending') setProgress({ kind: 'incomplete' });
  }, []);

  if (progress.kind === 'signed-in')
    return state.kind === 'in' ? <WelcomePage {...state} /> : <Redirect to="/sign-in" replace />;
  if (progress.kind === 'sending') return <CheckingPage error={undefined} onRetry={() => undefined} />;
  const isSignedIn = state.kind === 'in';
  return (
    <CardPage title="Sign-in link">
      {progress.kind === 'failed' ? (
        <LinkError error={progress.error} retry={() => void send(progress.token)} />
      ) : (
        <Notice kind="danger" title="This link is incomplete">
          Open the whole link, including the part after “#”.
        </Notice>
      )}
      {isSignedIn && <p>You are signed in as {state.account.email}.</p>}
      <ButtonLink href={isSignedIn ? '/' : '/sign-in'}>{isSignedIn ? 'Go to presets' : 'Sign in'}</ButtonLink>
    </CardPage>
  );
}

/** A used or expired link cannot be repeated; anything else can. */
function LinkError({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  if (!isStatus(error, 401)) return <ErrorNotice error={error} retry={retry} />;
  return (
    <Notice kind="danger" title="This link no longer works">
      A link signs you in once, an invitation within 7 days and any other link within 15 minutes. Ask an admin
      for a new one.
    </Notice>
  );
}

/** The token in the address, which is removed from it. Empty if there is none. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== '') history.replaceState(null, '', location.pathname);
  return token;
}
