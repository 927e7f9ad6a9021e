/** What is wrong with a file, in words for whoever gave it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}
