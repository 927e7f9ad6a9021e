/**
 * A file cannot be imported at all. The message names the file, says why and is meant for its user.
 */
export class MemberFileError extends Error {
  override readonly name = 'MemberFileError';
}
