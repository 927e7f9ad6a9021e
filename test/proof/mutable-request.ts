/** A request before it is written, one character for each byte. */
export interface Mutable {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** How the body is written, in the place of its length and itself. */
  framing: { readonly headers: [string, string][]; readonly bytes: Buffer } | undefined;
  lineEnd: string;
  isWhole: boolean;
}
