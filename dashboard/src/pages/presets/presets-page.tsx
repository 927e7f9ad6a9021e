import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { useCommands } from '../../components/commands.ts';
import { lazyComponent } from '../../components/loading.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { passRequest } from '../../features/request/passed-request.ts';
import { isFiltered, parseFilter } from './preset-filter.ts';
import { PresetList } from './preset-list.tsx';
import { QuickAccess } from './quick-access.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { usePresetList } from './use-preset-list.ts';

const FirstPreset = lazyComponent(async () => (await import('./first-preset.tsx')).FirstPreset);

/** The list of presets. Search, filters and order are in the URL, so that a list can be shared. */
export function PresetsPage() {
  const { may } = useSession();
  useRequestPaste(may('write'));
  const [, navigate] = useLocation();
  useCommands([
    may('write') && { title: 'Create a preset', group: 'Presets', keys: 'C', run: () => navigate('/new') },
  ]);
  const [params] = useSearchParams();
  const filter = parseFilter(params);
  const list = usePresetList(filter);
  const isAll = filter.q === '' && filter.tags.length === 0 && filter.status === '';
  const isEmpty = !isFiltered(filter) && list.loaded?.totalCount === 0;
  return (
    <Page
      guide="presets"
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

/** A request that is pasted here becomes a new preset. */
function useRequestPaste(isAllowed: boolean): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!isAllowed) return;
    const listen = async ({ clipboardData, target }: ClipboardEvent) => {
      // Not readable after the event.
      const pasted = clipboardData?.getData('text/plain') ?? '';
      // Loaded when needed: few people paste here.
      const { pastedRequest } = await import('../../features/request/pasted-request.ts');
      const request = pastedRequest(pasted, target);
      if (request !== undefined) navigate('/new', passRequest(request));
    };
    document.addEventListener('paste', listen);
    return () => document.removeEventListener('paste', listen);
  }, [isAllowed, navigate]);
}
