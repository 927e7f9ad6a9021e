/** Why a provider did not sign somebody in, by the code that the server puts into the address. */
const errors = {
  denied: {
    title: 'Not signed in',
    text: 'The sign-in was canceled, or the provider refused it. Try again.',
  },
  not_invited: {
    title: 'You have no account here yet',
    text: 'Ask an admin of this server to invite you, then sign in again.',
  },
  not_linked: {
    title: 'Your account uses another sign-in method',
    text: 'Sign in the way you did before, or ask an admin to allow your email domain for this provider.',
  },
  unverified: {
    title: 'Your email address is not verified',
    text: 'Verify it with the provider, or ask an admin for a sign-in link.',
  },
  deactivated: {
    title: 'Your account is deactivated',
    text: 'Ask an admin of this server to reactivate it.',
  },
  expired: {
    title: 'The sign-in took too long',
    text: 'You started it more than ten minutes ago, or in another browser. Try again.',
  },
  provider_unavailable: {
    title: 'Sign-in with the provider failed',
    text: 'Try again in a few minutes, or sign in another way.',
  },
} as const;

const unknown = {
  title: 'Not signed in',
  text: 'The sign-in failed. Try again, or ask an admin to look up the reason in the server log.',
};

/** Undefined without a code. A code of a newer server gets a general text. */
export function signInError(
  code: string | null,
): { readonly title: string; readonly text: string } | undefined {
  if (code === null) return undefined;
  return Object.hasOwn(errors, code) ? errors[code as keyof typeof errors] : unknown;
}
