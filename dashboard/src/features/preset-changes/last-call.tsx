import { useLastCall, wasCalledInLastHour } from '../../api/last-call.ts';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';

/** Whether somebody is likely to notice. The server does not know by which name a call came. */
export function LastCall({ slug }: { readonly slug: string }) {
  const { data, error } = useLastCall(slug);
  if (error) return <p className="note">Could not load when this preset was last called.</p>;
  if (data === undefined) return <p className="note">Loading the last call…</p>;
  if (data.last_called_at === null)
    return <p className="note">No recorded calls. Runs in the dashboard do not count.</p>;
  const time = <Time at={data.last_called_at} />;
  return wasCalledInLastHour(data, Date.now()) ? (
    <Notice kind="warning" title="In use">
      This preset was called in the last hour: {time}.
    </Notice>
  ) : (
    <p>Last called {time}.</p>
  );
}
