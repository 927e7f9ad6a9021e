/**
 * The page of one-time links: invitations, and links for people who cannot sign in otherwise.
 *
 * The token is in the fragment of the address, which browsers do not send to servers, and leaves
 * the address at once, so that it does not stay in the history. It is used when the person clicks:
 * mail scanners open links, and this one works only once. The person then chooses a name and a
 * password, or continues without. A link that names the page to continue at leads straight there.
 */

import { useEffect, useState } from 'react';
import { Redirect } from 'wouter';
import { createApi } from '../../api/api.ts';
import { isStatus } from '../../api/api-error.ts';
import { readReturnPath, signInPath } from '../../components/addresses.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CardPage, CheckingPage } from '../../components/card-page.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { useAuthentication } from '../authentication.tsx';
import { WelcomePage } from './welcome-page.tsx';

type Progress =
  | { readonly kind: 'ready' | 'sending' | 'signed-in' }
  | { readonly kind: 'failed'; readonly error: unknown };

export function LinkPage() {
  const { begin, state } = useAuthentication();
  const [token] = useState(() => location.hash.slice(1));
  const [returnTo] = useState(() => new URLSearchParams(location.search).get('return_to'));
  const [progress, setProgress] = useState<Progress>({ kind: 'ready' });
  useEffect(() => {
    if (token !== '') history.replaceState(null, '', location.pathname);
  }, [token]);
  const send = async () => {
    setProgress({ kind: 'sending' });
    try {
      const { content } = await createApi(undefined).call('POST /sign-in/link', { body: { token } });
      begin(content.data);
      setProgress({ kind: 'signed-in' });
    } catch (error) {
      setProgress({ kind: 'failed', error });
    }
  };

  if (progress.kind === 'signed-in')
    return state.kind === 'in' ? (
      returnTo === null ? (
        <WelcomePage {...state} />
      ) : (
        <Redirect to={readReturnPath(returnTo, location.origin)} replace />
      )
    ) : (
      <Redirect to="/sign-in" replace />
    );
  if (progress.kind === 'sending') return <CheckingPage error={undefined} onRetry={() => undefined} />;
  const isSignedIn = state.kind === 'in';
  if (progress.kind === 'ready' && token !== '')
    return (
      <CardPage title="Sign in to presetd">
        <p>
          {isSignedIn
            ? `You are signed in as ${state.account.email}. This link signs you in as the person it was made for.`
            : 'This link signs you in once.'}
        </p>
        <Button variant="primary" onClick={() => void send()}>
          Sign in
        </Button>
      </CardPage>
    );
  return (
    <CardPage title="Sign-in link">
      {progress.kind === 'failed' ? (
        <LinkError error={progress.error} retry={() => void send()} />
      ) : (
        <Notice kind="danger" title="This link is incomplete">
          Open the whole link, including the part after “#”.
        </Notice>
      )}
      {isSignedIn && <p>You are signed in as {state.account.email}.</p>}
      <ButtonLink href={isSignedIn ? '/' : signInPath(readReturnPath(returnTo, location.origin))}>
        {isSignedIn ? 'Go to presets' : 'Sign in'}
      </ButtonLink>
    </CardPage>
  );
}

/** A used or expired link cannot be repeated; anything else can. */
function LinkError({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  if (!isStatus(error, 401)) return <ErrorNotice error={error} retry={retry} />;
  return (
    <Notice kind="danger" title="This link no longer works">
      Each link works once: invitations for 7 days, other links for 15 minutes. Ask an admin for a new one, or
      run <code>presetd sign-in-link</code> on the server.
    </Notice>
  );
}
