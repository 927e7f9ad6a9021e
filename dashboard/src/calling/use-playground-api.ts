import { useMemo, useState } from 'react';
import { createApi } from '../api/api.ts';
import { useSession } from '../session/session.tsx';

/** With what the playground calls: the key of the session or, where that runs no inference, one that is pasted. */
export function usePlaygroundApi() {
  const session = useSession();
  const [key, setKey] = useState('');
  const pasted = useMemo(
    () => (/^[\x21-\x7e]+$/.test(key.trim()) ? createApi(key.trim()) : undefined),
    [key],
  );
  return { api: session.isManagement ? pasted : session.api, isKeyNeeded: session.isManagement, key, setKey };
}
