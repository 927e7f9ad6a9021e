import { useState } from 'react';
import type { PresetCase } from '../../../../../../src/api/cases.ts';
import { CaseChangedError, useChangeCase } from '../../../../api/cases.ts';
import { messageOf } from '../../../../components/notice.tsx';
import { useToast } from '../../../../components/toasts.tsx';
import { usePausedRedirect } from '../../../../features/preset-changes/use-preset-actions.ts';
import { useWorkbench } from '../../workbench.ts';
import type { RunSession } from '../run-session.ts';

/** The inputs of a run, as a case has them. */
export type CaseContent = Pick<PresetCase, 'variables' | 'messages'>;

/** An open dialog, and the case that it is about, as the user has seen it. */
export type OpenCaseDialog =
  | { readonly kind: 'save' }
  | { readonly kind: 'edit' | 'duplicate' | 'remove'; readonly seen: PresetCase }
  | {
      /** A case is not as the page has read it. */
      readonly kind: 'conflict';
      readonly name: string;
      readonly note: string | null | undefined;
      readonly message: string;
    };

export type CaseChanges = ReturnType<typeof useCaseChanges>;

/** Saves, renames, copies and removes cases. `content` is what the form has now. */
export function useCaseChanges(session: RunSession, cases: readonly PresetCase[], content: CaseContent) {
  const { slug } = useWorkbench();
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [dialog, setDialog] = useState<OpenCaseDialog>();
  usePausedRedirect(dialog !== undefined);

  /** Without the error of the last change. */
  function open(next: OpenCaseDialog | undefined) {
    saving.reset();
    setDialog(next);
  }
  function finish(caseName: string | undefined, message: string, undo?: () => void) {
    session.change({ caseName });
    setDialog(undefined);
    showToast(message, undo);
  }
  /** Also after the user has left the page. */
  async function restore({ name, variables, messages, note }: PresetCase) {
    try {
      await saving.mutateAsync({ name, content: { variables, messages, note }, seen: undefined });
      if (session.state.get().caseName === undefined) session.change({ caseName: name });
    } catch (error) {
      showToast(`Could not restore the case: ${messageOf(error)}`);
    }
  }

  return {
    dialog,
    open,
    isPending: saving.isPending,
    error: saving.error,
    /** Saves the inputs. Without a note, a case keeps the one it has. */
    save(name: string, note?: string | null, isForced = false) {
      const seen = cases.find((other) => other.name === name);
      saving.mutate(
        { name, content: { ...content, note: note ?? seen?.note ?? null }, seen, isForced },
        {
          onSuccess: () => finish(name, `Saved the case ${name}`),
          onError: (error) => {
            if (error instanceof CaseChangedError)
              setDialog({ kind: 'conflict', name, note, message: error.message });
            else showToast(`Could not save the case: ${messageOf(error)}`);
          },
        },
      );
    },
    /** Changes name and note. Inputs that are not saved stay in the form. */
    edit(seen: PresetCase, name: string, note: string | null) {
      const { name: before, variables, messages } = seen;
      saving.mutate(
        { name: before, content: { variables, messages, note, name }, seen },
        {
          onSuccess: () => {
            session.allCases.renameCase(before, name);
            finish(name, `Saved the case ${name}`);
          },
        },
      );
    },
    /** Copies the case as it is saved. */
    duplicate({ variables, messages }: PresetCase, name: string, note: string | null) {
      saving.mutate(
        { name, content: { variables, messages, note }, seen: undefined },
        { onSuccess: () => finish(name, `Duplicated the case as ${name}`) },
      );
    },
    remove(seen: PresetCase) {
      saving.mutate(
        { name: seen.name, content: undefined, seen },
        {
          onSuccess: () => finish(undefined, `Removed the case ${seen.name}`, () => void restore(seen)),
        },
      );
    },
  };
}
