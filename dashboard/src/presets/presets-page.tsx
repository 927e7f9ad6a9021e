import { Plus } from 'lucide-react';
import { usePresets } from '../api/presets.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Pager } from '../parts/pager.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSearchValues } from '../parts/use-search-values.ts';
import { useSession } from '../session/session.tsx';
import { FirstPreset } from './first-preset.tsx';
import { PresetFilters } from './preset-filters.tsx';
import { PresetTable } from './preset-table.tsx';

const limit = 50;

/** What is looked for stands in the address, so that it can be kept, shared and gone back to. */
export function PresetsPage() {
  const { value, offset, change } = useSearchValues();
  const { canWrite } = useSession();
  const q = value('q');
  const status = value('status');
  const { data, error, isPlaceholderData, refetch } = usePresets({ q, status, offset, limit });

  // The way back leads to another page, not to every word on the way to the last one.
  const filter = (values: Readonly<Record<string, string>>) =>
    change({ ...values, offset: '' }, { replace: true });
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
            onSearch={(words) => filter({ q: words })}
            onStatus={(chosen) => filter({ status: chosen })}
          />
          {error ? (
            <ErrorNotice error={error} title="The presets could not be read." retry={() => void refetch()} />
          ) : data === undefined ? (
            <Loading lines={8} label="Loading presets" />
          ) : data.total_count === 0 ? (
            <Empty title="No preset matches">
              <Button onClick={() => filter({ q: '', status: '' })}>Clear the filter</Button>
            </Empty>
          ) : data.data.length === 0 ? (
            <Empty title="The list is not that long any more">
              <Button onClick={() => change({ offset: '' })}>To its first page</Button>
            </Empty>
          ) : (
            <>
              <PresetTable presets={data.data} isStale={isPlaceholderData} />
              <Pager
                offset={offset}
                limit={limit}
                totalCount={data.total_count}
                isTotalExact={data.total_count_exact}
                one="preset"
                onChange={(next) => change({ offset: next === 0 ? '' : String(next) })}
              />
            </>
          )}
        </Panel>
      )}
    </Page>
  );
}
