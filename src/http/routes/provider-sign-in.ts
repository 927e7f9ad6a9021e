import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SignInRefusal } from '../../core/accounts/identity-change.ts';
import type { SignIn } from '../../core/accounts/sign-in.ts';
import { oneLine, truncate } from '../../core/text/printable.ts';
import { type AttemptCookies, attemptSeconds } from '../../sign-in/attempt-cookie.ts';
import type { ActiveProvider, SignInProviders } from '../../sign-in/providers.ts';
import { toReturnPath } from '../../sign-in/return-path.ts';
import { SignInError, type SignInErrorCode } from '../../sign-in/sign-in-error.ts';
import { type FailedAuthentications, limitFailedAttempts } from '../overload/failed-authentications.ts';
import { readCookie, setCookie } from '../protocol/cookie.ts';
import { ownOrigin } from '../protocol/own-origin.ts';
import { setSessionCookie } from '../session-cookie.ts';
import { signInClient } from '../sign-in-client.ts';

interface ProviderSignInOptions {
  readonly providers: SignInProviders;
  readonly attempts: AttemptCookies;
  readonly signIn: SignIn;
  readonly failures: FailedAuthentications;
  readonly publicUrl: URL | undefined;
  readonly sessionMaxMs: number;
}

const attemptCookie = 'presetd_sign_in';

/**
 * Signs in with a provider: the first route sends the browser there, the second one is where it
 * comes back. Both redirect, whatever happens. A sign-in that fails ends on the page `/sign-in`,
 * with a code of ours; the cause is only logged, because it may contain text from the provider.
 */
export function providerSignInRoutes(scope: FastifyInstance, options: ProviderSignInOptions): void {
  const { providers, attempts, signIn, publicUrl } = options;

  scope.addHook('onSend', async (_request, reply) => void reply.headers(redirectHeaders));

  scope.get<{ Params: { provider: string } }>('/sign-in/:provider', async (request, reply) => {
    const { provider: id } = request.params;
    const returnTo = toReturnPath(parametersOf(request).get('return_to') ?? undefined);
    return redirectFailures(request, reply, returnTo, async () => {
      const { client } = requireProvider(providers.find(id), id);
      const { url, attempt } = await client.begin(redirectUriOf(request, publicUrl, id));
      const value = await attempts.seal(id, attempt, returnTo);
      setCookie(request, reply, publicUrl, { name: attemptCookie, value, maxAgeSeconds: attemptSeconds });
      return url;
    });
  });

  scope.get<{ Params: { provider: string } }>('/sign-in/:provider/callback', async (request, reply) => {
    const { provider: id } = request.params;
    const parameters = parametersOf(request);
    const cookie = readCookie(request, publicUrl, attemptCookie);
    const opened = cookie && (await attempts.open(id, parameters.get('state') ?? '', cookie));
    return redirectFailures(request, reply, opened ? opened.returnTo : '/', async () => {
      if (!opened) throw new SignInError('expired', 'the cookie of the attempt is missing or not valid');
      // One attempt, one response. A cookie of another attempt stays for that one.
      setCookie(request, reply, publicUrl, { name: attemptCookie, value: '', maxAgeSeconds: 0 });
      const { client, policy } = requireProvider(providers.find(id), id);
      const { identity, idToken } = await client.finish(parameters, opened.attempt);
      const signInFrom = signInClient(request, publicUrl);
      // Each refusal is audited, so their number is limited.
      const { token } = await limitFailedAttempts(
        options.failures,
        request,
        () => signIn.withIdentity(identity, policy, idToken ?? null, signInFrom),
        (error) => error instanceof SignInRefusal,
      );
      const maxAgeSeconds = Math.floor(options.sessionMaxMs / 1_000);
      setSessionCookie(request, reply, publicUrl, { token, maxAgeSeconds });
      return opened.returnTo;
    });
  });
}

/** The address has a code and a state, which must not end up in caches and in other requests. */
const redirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The parameters as they were sent: the framework would turn repeated ones into a list. */
function parametersOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

function redirectUriOf(request: FastifyRequest, publicUrl: URL | undefined, id: string): string {
  return `${ownOrigin(request, publicUrl)}/sign-in/${id}/callback`;
}

function requireProvider(provider: ActiveProvider | undefined, id: string): ActiveProvider {
  if (provider !== undefined) return provider;
  throw new SignInError('provider_unavailable', `the settings have no provider ${truncate(oneLine(id), 64)}`);
}

/** Redirects to the result of `attempt` or, if it fails as sign-ins do, to the sign-in page. */
async function redirectFailures(
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo: string,
  attempt: () => Promise<string>,
): Promise<FastifyReply> {
  try {
    return reply.redirect(await attempt(), 303);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    request.log.warn({ reqId: request.id, code, cause: describe(error) }, 'sign-in failed');
    const query = new URLSearchParams({ error: code, ...(returnTo !== '/' && { return_to: returnTo }) });
    return reply.redirect(`/sign-in?${query}`, 303);
  }
}

/** Undefined for other errors, such as a database that is not available. */
function codeOf(error: unknown): SignInErrorCode | undefined {
  if (error instanceof SignInError) return error.code;
  return error instanceof SignInRefusal ? error.reason : undefined;
}

/** The messages of an error and its causes. Never the values, which can be tokens. */
function describe(error: unknown): string {
  const messages: unknown[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { message, error: code, error_description: description }: ExplainedError = cause;
    messages.push(message, code, description);
  }
  const texts = messages.filter((text) => typeof text === 'string' && text !== '');
  return truncate(oneLine(texts.join(': ')), causeLettersMax);
}

/** An error that a provider returned (RFC 6749). */
interface ExplainedError extends Error {
  readonly error?: unknown;
  readonly error_description?: unknown;
}

const causeLettersMax = 1_000;
