import { Loading } from './loading.tsx';
import { ErrorNotice } from './notice.tsx';

interface PendingProps {
  /** The query that is loading, such as the result of `useQuery`. */
  readonly query: { readonly error: unknown; readonly refetch: () => unknown };
  /** The failure as a short phrase. */
  readonly title?: string;
  /** For screen readers, such as "Loading version". */
  readonly label: string;
  /** How many lines the skeleton has. */
  readonly lines?: number;
}

/** In place of data that is still loading, or that could not be loaded. */
export function Pending({ query: { error, refetch }, title, ...loading }: PendingProps) {
  if (error == null) return <Loading {...loading} />;
  return <ErrorNotice error={error} title={title} retry={() => void refetch()} />;
}
