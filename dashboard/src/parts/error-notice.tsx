import { ApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What could not be done, as a short sentence. */
  readonly title?: string;
  readonly retry?: () => void;
}

/** What went wrong, in the server's own words, and the way on. */
export function ErrorNotice({ error, title, retry }: ErrorNoticeProps) {
  return (
    <Notice
      kind="danger"
      title={title}
      actions={
        retry && (
          <Button isSmall onClick={retry}>
            Try again
          </Button>
        )
      }
    >
      {messageOf(error)}
      {error instanceof ApiError && error.status > 0 && (
        <>
          {' '}
          <small>
            Status {error.status}
            {error.requestId !== undefined && (
              <>
                , request <code>{error.requestId}</code>
              </>
            )}
          </small>
        </>
      )}
    </Notice>
  );
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
