import { useMemo, useState } from 'react';
import { createApi } from '../api/api.ts';
import { useSession } from '../session/session.tsx';

/**
 * The client for the playground. Management keys cannot call models, so their users paste an API
 * key, which is kept only in component state.
 */
export function usePlaygroundApi() {
  const session = useSession();
  const [key, setKey] = useState('');
  const pastedKeyApi = useMemo(
    () => (/^[\x21-\x7e]+$/.test(key.trim()) ? createApi(key.trim()) : undefined),
    [key],
  );
  return {
    api: session.isManagement ? pastedKeyApi : session.api,
    isKeyNeeded: session.isManagement,
    key,
    setKey,
  };
}
