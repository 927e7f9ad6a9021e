import { Plus } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { usePresets } from '../api/presets.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.tsx';
import { FirstPreset } from './first-preset.tsx';
import { PresetFilters } from './preset-filters.tsx';
import { PresetTable } from './preset-table.tsx';

const limit = 50;

/** What is looked for stands in the address, so that it can be kept, shared and gone back to. */
export function PresetsPage() {
  const [search, setSearch] = useSearchParams();
  const { canWrite } = useSession();
  const q = search.get('q') ?? '';
  const status = search.get('status') ?? '';
  const offset = Math.max(0, Math.trunc(Number(search.get('offset') ?? 0)) || 0);
  const { data, error, isPlaceholderData, refetch } = usePresets({ q, status, offset, limit });

  const change = (changed: Readonly<Record<string, string>>) =>
    setSearch((before) => withValues(before, changed), { replace: !('offset' in changed) });
  const isFiltered = q !== '' || status !== '';
  const isUnused = !isFiltered && data?.total_count === 0;

  return (
    <Page
      title="Presets"
      actions={
        canWrite && (
          <ButtonLink href="/new" variant="primary">
            <Plus aria-hidden="true" />
            New preset
          </ButtonLink>
        )
      }
    >
      {isUnused ? (
        <FirstPreset />
      ) : (
        <Panel isFlush>
          <PresetFilters
            q={q}
            status={status}
            onSearch={(words) => change({ q: words, offset: '' })}
            onStatus={(chosen) => change({ status: chosen, offset: '' })}
          />
          {error ? (
            <ErrorNotice error={error} title="The presets could not be read." retry={() => void refetch()} />
          ) : data === undefined ? (
            <Loading lines={8} label="Loading presets" />
          ) : data.total_count === 0 ? (
            <Empty title="No preset matches">
              <Button onClick={() => change({ q: '', status: '', offset: '' })}>Clear the filter</Button>
            </Empty>
          ) : (
            <>
              <PresetTable presets={data.data} isStale={isPlaceholderData} />
              <Pager
                offset={offset}
                limit={limit}
                totalCount={data.total_count}
                what="presets"
                onChange={(next) => change({ offset: next === 0 ? '' : String(next) })}
              />
            </>
          )}
        </Panel>
      )}
    </Page>
  );
}

function withValues(before: URLSearchParams, changed: Readonly<Record<string, string>>): URLSearchParams {
  const next = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changed)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}
