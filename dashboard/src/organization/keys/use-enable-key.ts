import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { messageOf } from '../../ui/error-notice.tsx';
import { useToast } from '../../ui/toasts.tsx';

/** Enables a disabled key, without a dialog. The server refuses if its owner has left. */
export function useEnableKey(): (key: Key) => void {
  const showToast = useToast();
  const { mutate } = useOrganizationChange();
  return ({ hash, name }) =>
    mutate(
      { method: 'PATCH', path: pathOf('keys', hash), body: { disabled: false } },
      {
        onSuccess: () => showToast(`Enabled ${name}`),
        onError: (error) => showToast(`Could not enable ${name}: ${messageOf(error)}`),
      },
    );
}
