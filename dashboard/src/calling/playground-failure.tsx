import { isStatus } from '../api/api-error.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Notice } from '../parts/notice.tsx';

/** Why there is no answer. That no model has been set up yet is no failure, and a matter of one line. */
export function PlaygroundFailure({ error }: { readonly error: unknown }) {
  if (!isStatus(error, 424) || !error.message.includes(' has no key.'))
    return <ErrorNotice error={error} title="There is no answer." />;
  return (
    <Notice title="No model can be reached yet.">
      <p>{error.message}</p>
      <p className="muted">The request itself is complete, and shown below as it would be sent.</p>
    </Notice>
  );
}
