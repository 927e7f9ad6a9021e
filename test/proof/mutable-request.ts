/** A request before it is serialized as Latin-1, one character per byte. */
export interface MutableRequest {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** Replaces the Content-Length header and the bytes of the body. */
  framing: { readonly headers: [string, string][]; readonly bytes: Buffer } | undefined;
  lineEnd: string;
  /** See `MalformedRequest.isComplete`. */
  isComplete: boolean;
}
