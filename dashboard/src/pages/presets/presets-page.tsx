import { Plus } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { lazyComponent } from '../../components/loading.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { isFiltered, parseFilter } from './preset-filter.ts';
import { PresetList } from './preset-list.tsx';
import { QuickAccess } from './quick-access.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { usePresetList } from './use-preset-list.ts';

const FirstPreset = lazyComponent(async () => (await import('./first-preset.tsx')).FirstPreset);

/** The list of presets. Search, filters and order are in the URL, so that a list can be shared. */
export function PresetsPage() {
  const { may } = useSession();
  const [params] = useSearchParams();
  const filter = parseFilter(params);
  const list = usePresetList(filter);
  const isAll = filter.q === '' && filter.tags.length === 0 && filter.status === '';
  const isEmpty = !isFiltered(filter) && list.loaded?.totalCount === 0;
  return (
    <Page
      title="Presets"
      actions={
        may('write') && (
          <ButtonLink href="/new" variant="primary">
            <Plus aria-hidden="true" />
            New preset
          </ButtonLink>
        )
      }
    >
      {isEmpty ? (
        <FirstPreset />
      ) : (
        <>
          <QuickAccess loaded={list.loaded} isAll={isAll && !list.query.isPlaceholderData} />
          <Panel isFlush>
            <SavedFilters />
            <PresetList filter={filter} list={list} />
          </Panel>
        </>
      )}
    </Page>
  );
}
