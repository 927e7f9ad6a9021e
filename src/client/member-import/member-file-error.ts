/** What is wrong with a file, in words for whoever gave it. */
export class MemberFileError extends Error {
  override readonly name = 'FileProblem';
}
