import { useStore } from '../../components/store.ts';
import type { JSONPath } from '../../features/request/request-text.ts';
import { fieldKey, type IncompleteField, jsonAt } from './incomplete-fields.ts';
import { useWorkbench } from './workbench.ts';

/** The text of a field that is not a value yet; undefined if the value is what the field says. */
export function useIncompleteText(path: JSONPath) {
  const { draft, incomplete } = useWorkbench();
  const key = fieldKey(path);
  const of = jsonAt(draft.get().body, path) ?? '';
  const kept = useStore(incomplete, (fields) => fields.get(key));
  return {
    text: kept?.of === of ? kept.text : undefined,
    /** Undefined once the field has a value. */
    keep(field: Omit<IncompleteField, 'of'> | undefined) {
      const others = [...incomplete.get()].filter(([other]) => other !== key);
      incomplete.set(new Map(field === undefined ? others : [...others, [key, { ...field, of }]]));
    },
  };
}
