import { PresetdError } from '../../core/errors.ts';
import { assertNoIssues, invalidBody } from '../../core/request-issues.ts';
import { findMisspelledFields } from '../../dialects/field-spelling.ts';

/**
 * Forms (`multipart/form-data`), which endpoints that take files have instead of JSON.
 *
 * presetd reads the fields `model` and `preset` and replaces only their bytes, so that files reach
 * the upstream untouched. Anything that two parsers could read differently is rejected, because the
 * upstream has to see the same model as presetd.
 */
export interface FormBody {
  readonly bytes: Buffer;
  readonly boundary: string;
  readonly parts: readonly FormPart[];
}

interface FormPart {
  readonly name: string;
  /** Undefined for a text field. */
  readonly filename: string | undefined;
  /** Where the part begins, at the two hyphens before the boundary. */
  readonly partStart: number;
  readonly start: number;
  /** After the last byte of the content. */
  readonly end: number;
}

/** Far more than the largest image edit needs. */
const partsMax = 1_000;

/**
 * Throws `invalid_request` if the form is malformed, has one of presetd's fields twice, or one
 * whose name differs from a known field in case only.
 */
export function parseForm(bytes: Buffer, contentType: string): FormBody {
  const boundary = boundaryIn(contentType);
  const parts: FormPart[] = [];
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first delimiter has no line break before it.
  let end = bytes.indexOf(delimiter.subarray(2)) === 0 ? -2 : Number.NaN;
  for (;;) {
    if (Number.isNaN(end)) throw malformed('does not begin with its boundary');
    const at = end + delimiter.length;
    if (bytes.toString('latin1', at, at + 2) === '--') {
      if (bytes.toString('latin1', at + 2).trim() !== '') throw malformed('has bytes after its end');
      break;
    }
    if (parts.length === partsMax) throw malformed(`has more than ${partsMax} parts`);
    const next = bytes.indexOf(delimiter, at);
    if (next === -1) throw malformed('has no closing boundary');
    parts.push(parsePart(bytes, end + 2, at, next));
    end = next;
  }
  assertUnambiguous(parts);
  return { bytes, boundary, parts };
}

/**
 * The Content-Type to send the form with. That of the client may have several boundaries, of which
 * the upstream could use another.
 */
export function formType({ boundary }: FormBody): string {
  const isToken = /^[\w'+.-]+$/.test(boundary);
  return `multipart/form-data; boundary=${isToken ? boundary : `"${boundary}"`}`;
}

/** The text fields that presetd reads. */
export function fieldsOf({ bytes, parts }: FormBody): Readonly<Record<string, string>> {
  const read = parts.filter(({ name }) => isRead(name));
  return Object.fromEntries(read.map(({ name, start, end }) => [name, bytes.toString('utf8', start, end)]));
}

/** The same form with this model, if there is one, and without a preset. */
export function setFormModel(form: FormBody, model: string | undefined): FormBody {
  const fields = fieldsOf(form);
  if (fields.preset === undefined && (model === undefined || fields.model === model)) return form;
  const { bytes, boundary, parts } = form;
  const pieces: (string | Buffer)[] = [];
  let copied = 0;
  for (const { name, partStart, start, end } of parts) {
    if (name === 'preset') {
      pieces.push(bytes.subarray(copied, partStart));
      // The next part, or the end of the form, begins after a line break.
      copied = end + 2;
    } else if (name === 'model' && model !== undefined) {
      pieces.push(bytes.subarray(copied, start), model);
      copied = end;
    }
  }
  const isMissing = model !== undefined && fields.model === undefined;
  const added = isMissing
    ? `--${boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\n${model}\r\n`
    : '';
  pieces.push(bytes.subarray(copied));
  const changed = Buffer.concat(
    [added, ...pieces].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
  return parseForm(changed, formType(form));
}

/** For dry runs: text fields as they are, and the sizes of files. */
export function describeForm({ bytes, parts }: FormBody): readonly object[] {
  return parts.map(({ name, filename, start, end }) =>
    filename === undefined
      ? { name, value: bytes.toString('utf8', start, end) }
      : { name, filename, bytes: end - start },
  );
}

function boundaryIn(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]+)"|([^\s";]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token ?? '';
  if (!/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary))
    throw new PresetdError('invalid_request', 'The Content-Type of the form has no valid boundary.');
  return boundary;
}

/** Parses the part between two delimiters: `at` is after the first, `end` before the second. */
function parsePart(bytes: Buffer, partStart: number, at: number, end: number): FormPart {
  const headersEnd = bytes.indexOf('\r\n\r\n', at);
  if (bytes.toString('latin1', at, at + 2) !== '\r\n' || headersEnd === -1 || headersEnd + 4 > end)
    throw malformed('has a part without headers');
  const headers = bytes.toString('utf8', at + 2, headersEnd).split('\r\n');
  // White space at the start would continue the header before it, for parsers that know of that.
  if (headers.some((header) => /^\s|[\r\n\0]/.test(header)))
    throw malformed('has a part with malformed headers');
  const dispositions = headers.filter((header) => /^content-disposition\s*:/i.test(header));
  const parameters = parseDisposition(dispositions);
  const name = parameters.get('name');
  if (name === undefined) throw malformed('has a part without a name');
  const filename = parameters.get('filename') ?? parameters.get('filename*');
  if (isRead(name) && (filename !== undefined || headers.some((header) => isEncoded(header))))
    throw invalidBody([{ path: `/${name}`, message: 'must be a text field' }]);
  return { name, filename, partStart, start: headersEnd + 4, end };
}

const parameter = /;\s*(name|filename\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s"\\;]+))\s*/giy;

function parseDisposition([header, ...others]: readonly string[]): ReadonlyMap<string, string> {
  const [, rest] = /^content-disposition\s*:\s*form-data\s*(;.*)$/is.exec(header ?? '') ?? [];
  if (rest === undefined || others.length > 0) throw malformed('has a part without one Content-Disposition');
  const parameters = [...rest.matchAll(parameter)];
  const found = new Map(
    parameters.map(([, name = '', quoted, token]) => [name.toLowerCase(), quoted ?? token ?? '']),
  );
  const length = parameters.reduce((sum, [whole]) => sum + whole.length, 0);
  if (length !== rest.length || found.size !== parameters.length || found.get('name')?.includes('\\'))
    throw malformed('has a part with a malformed Content-Disposition');
  return found;
}

/** Java clients say `8bit`, which means that nothing is encoded. */
function isEncoded(header: string): boolean {
  return /^content-transfer-encoding\s*:(?!\s*(?:7bit|8bit|binary)\s*$)/i.test(header);
}

function isRead(name: string): boolean {
  return name === 'model' || name === 'preset';
}

function assertUnambiguous(parts: readonly FormPart[]): void {
  assertNoIssues(findMisspelledFields(Object.fromEntries(parts.map(({ name }) => [name, null]))));
  for (const name of ['model', 'preset'])
    if (parts.filter((part) => part.name === name).length > 1)
      throw invalidBody([{ path: `/${name}`, message: 'must occur once' }]);
}

function malformed(problem: string): PresetdError {
  return new PresetdError('invalid_request', `The form in the request body ${problem}.`);
}
