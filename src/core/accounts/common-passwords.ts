/**
 * Loads the list of common passwords, half a megabyte that only a change of a password needs, and
 * returns a check of text in lower case.
 */
export async function isCommonPassword(): Promise<(text: string) => boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = new Set<unknown>(dictionary['passwords-common']);
  return (text) => common.has(text);
}
