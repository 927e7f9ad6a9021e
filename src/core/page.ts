/** The part of a list that a request asks for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}
