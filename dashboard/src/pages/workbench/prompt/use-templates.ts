import { useMemo } from 'react';
import { templateExtensions } from '../../../components/editor/prompt-extensions.ts';
import { useDraft } from '../workbench.ts';

/** Marks and completes the declared variables in an editor. */
export function useTemplates() {
  const variables = useDraft((draft) => draft.variables);
  // By their text: editors are reconfigured when the extensions change.
  const joined = variables.map(({ name }) => name).join('\n');
  return useMemo(() => templateExtensions(joined === '' ? [] : joined.split('\n')), [joined]);
}
