import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { filtersMax, usePersonalLists, withFilter, withoutFilter } from '../../api/personal-lists.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { useToast } from '../../components/toasts.tsx';
import { canonicalSearch } from './preset-filter.ts';
import styles from './presets.module.css';

/** The filters that this person saved, as tabs. Always there, so that the search does not move. */
export function SavedFilters() {
  const { filters, change } = usePersonalLists();
  const [path] = useLocation();
  const [params] = useSearchParams();
  const [isSaving, setIsSaving] = useState(false);
  const showToast = useToast();
  const search = canonicalSearch(params);
  const active = filters.find((filter) => filter.search === search);
  const remove = () => {
    if (active === undefined) return;
    change((lists) => withoutFilter(lists, active.name));
    showToast(`Deleted the filter ${active.name}`, () => change((lists) => withFilter(lists, active)));
  };
  return (
    <div className={styles.saved}>
      <nav aria-label="Saved filters" className={styles.savedList}>
        <Link href={path} className="tab" aria-current={search === '' ? 'page' : undefined}>
          All presets
        </Link>
        {filters.map((filter) => (
          <Link
            key={filter.name}
            href={`${path}?${filter.search}`}
            className="tab"
            aria-current={filter === active ? 'page' : undefined}
          >
            {filter.name}
          </Link>
        ))}
      </nav>
      {search !== '' &&
        (active === undefined ? (
          <Button isSmall variant="quiet" onClick={() => setIsSaving(true)}>
            Save filter…
          </Button>
        ) : (
          <Button isSmall variant="quiet" onClick={remove}>
            Delete filter
          </Button>
        ))}
      {isSaving && <SaveDialog search={search} onClose={() => setIsSaving(false)} />}
    </div>
  );
}

const nameCharactersMax = 40;

function SaveDialog({ search, onClose }: { readonly search: string; readonly onClose: () => void }) {
  const { filters, change } = usePersonalLists();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isTaken = filters.some((filter) => filter.name === name);
  const isFull = !isTaken && filters.length >= filtersMax;
  return (
    <FormDialog
      title="Save filter"
      submitLabel={isTaken ? 'Replace filter' : 'Save filter'}
      canSubmit={name !== '' && !isFull}
      onSubmit={() => {
        change((lists) => withFilter(lists, { name, search }));
        onClose();
      }}
      onClose={onClose}
      change={{ isPending: false, error: null }}
    >
      <TextField
        label="Name"
        value={typed}
        onChange={setTyped}
        maxLength={nameCharactersMax}
        error={
          isFull
            ? `You have ${filtersMax} saved filters, the maximum. Delete one, or enter the name of one to replace it.`
            : undefined
        }
        hint={
          isTaken
            ? 'You have a filter with this name. Saving replaces it.'
            : 'Saved for you, in this browser. To share the list, copy its address.'
        }
        autoComplete="off"
        focusOnMount
      />
    </FormDialog>
  );
}
