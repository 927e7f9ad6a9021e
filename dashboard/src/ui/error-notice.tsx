import { ApiError } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** What failed, as a short phrase. */
  readonly title?: string;
  /** Shows a "Try again" button. Omit it where repeating the request would not help. */
  readonly retry?: () => void;
}

/** The server's message with status and request ID, which support needs to find the log entry. */
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

/** The message of anything that can be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
