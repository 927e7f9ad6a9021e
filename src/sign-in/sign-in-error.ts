/**
 * Why a sign-in failed, for the page that the browser ends on. The page has a text for each code;
 * the cause is only logged, because it may contain text from the provider.
 */
const signInErrorCodes = [
  /** The person or the provider declined. */
  'denied',
  /** No account has the identity, and none may be created for it. */
  'not_invited',
  /** The account signs in another way, and the provider does not manage the address. */
  'not_linked',
  /** The provider has not verified the email address. */
  'unverified',
  'deactivated',
  /** It took too long, began in another browser, or was repeated. */
  'expired',
  /** The provider does not respond, is misconfigured, or sent something invalid. */
  'provider_unavailable',
] as const;

export type SignInErrorCode = (typeof signInErrorCodes)[number];

export class SignInError extends Error {
  override readonly name = 'SignInError';
  readonly code: SignInErrorCode;

  constructor(code: SignInErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
