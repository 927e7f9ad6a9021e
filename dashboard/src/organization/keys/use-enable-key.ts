import type { Key } from '../../../../src/client/organization-answers.ts';
import { pathOf } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/use-organization-change.ts';
import { messageOf } from '../../parts/error-notice.tsx';
import { useToast } from '../../parts/toasts.tsx';

/** Makes a disabled key good again, which the server may refuse. */
export function useEnableKey(): (key: Key) => void {
  const tell = useToast();
  const { mutate } = useOrganizationChange();
  return ({ hash, name }) =>
    mutate(
      { method: 'PATCH', path: pathOf('keys', hash), body: { disabled: false } },
      {
        onSuccess: () => tell(`Enabled ${name}.`),
        onError: (error) => tell(`${name} was not enabled: ${messageOf(error)}`),
      },
    );
}
