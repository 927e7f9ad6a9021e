import { isStatus } from '../api/api-error.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Notice } from '../ui/notice.tsx';

/**
 * Why the call failed. A missing provider key is the normal state of a new installation, so it is
 * shown as a setup step instead of an error.
 */
export function PlaygroundFailure({ error }: { readonly error: unknown }) {
  if (!isStatus(error, 424) || !/ has no (API )?key\b/.test(error.message))
    return <ErrorNotice error={error} title="The call failed" />;
  return (
    <Notice title="No model is available yet">
      <p>{error.message}</p>
      <p className="muted">The request below shows what presetd would send.</p>
    </Notice>
  );
}
