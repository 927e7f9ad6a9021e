import { type ErrorKind, PresetdError } from '../core/errors.ts';
import { LastAdminError } from '../core/organization/member-change.ts';

/** The error types of RFC 7644, section 3.12. */
type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export class ScimError extends PresetdError {
  readonly scimType: ScimType;

  constructor(scimType: ScimType, message: string) {
    super('invalid_request', message);
    this.scimType = scimType;
  }
}

const defaultTypes: Readonly<Partial<Record<ErrorKind, ScimType>>> = {
  invalid_request: 'invalidValue',
  conflict: 'uniqueness',
};

/** The body of an error response. The status is text, as the RFC wants it. */
export function scimErrorBody(error: PresetdError, status: number): object {
  const scimType =
    error instanceof ScimError
      ? error.scimType
      : error instanceof LastAdminError
        ? 'mutability'
        : defaultTypes[error.kind];
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: error.message,
  };
}
