import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { PresetSummary } from '../../../../../src/api/presets.ts';
import { invalidatePresets } from '../../../api/presets.ts';
import { runBulk } from '../../../api/run-bulk.ts';
import { useSession } from '../../../api/session.ts';
import { formatCount } from '../../../components/text.ts';
import { useToast } from '../../../components/toasts.tsx';
import type { BulkTarget, Changed } from './bulk-changes.ts';

type Change = (target: BulkTarget, preset: PresetSummary) => Promise<Changed>;

/** A change of many presets. */
interface BulkChange {
  readonly change: Change;
  /** In the past, such as "Archived"; a toast continues with the number of presets. */
  readonly verb: string;
  readonly undo: Change;
  readonly undoVerb: string;
}

interface BulkFailure {
  readonly preset: PresetSummary;
  readonly error: unknown;
}

type BulkState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly done: number; readonly total: number }
  | { readonly kind: 'failed'; readonly failures: readonly BulkFailure[]; readonly total: number };

/**
 * Runs a change of many presets for a dialog, which closes when all of it succeeded and lists the
 * failures otherwise. When the dialog closes, a toast offers to undo what was changed.
 */
export function useBulkRun(onDone: () => void) {
  const { api, workspaceId } = useSession();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const [state, setState] = useState<BulkState>({ kind: 'idle' });
  const running = useRef<AbortController>(undefined);
  const report = useRef<() => void>(undefined);
  // Leaving the page stops what has not started; nobody would see its failures.
  useEffect(() => () => running.current?.abort(), []);

  const runOn = async (
    items: readonly PresetSummary[],
    change: Change,
    onProgress?: (done: number) => void,
    signal?: AbortSignal,
  ) => {
    const outcomes = await runBulk({
      items,
      work: (preset) => change({ api, workspaceId }, preset),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    void invalidatePresets(queryClient, workspaceId);
    return {
      changed: outcomes.flatMap((outcome) => ('result' in outcome && outcome.result ? [outcome.item] : [])),
      failures: outcomes.flatMap((outcome) =>
        'error' in outcome ? [{ preset: outcome.item, error: outcome.error }] : [],
      ),
    };
  };

  const undo = async (items: readonly PresetSummary[], bulk: BulkChange) => {
    const { failures } = await runOn(items, bulk.undo);
    const failed = failures.length === 0 ? '' : `; ${failures.length} could not be changed back`;
    showToast(
      `${bulk.undoVerb} ${formatCount(items.length - failures.length, 'preset', 'presets')}${failed}`,
    );
  };

  const start = async (items: readonly PresetSummary[], bulk: BulkChange) => {
    const controller = new AbortController();
    running.current = controller;
    setState({ kind: 'running', done: 0, total: items.length });
    const onProgress = (done: number) => setState({ kind: 'running', done, total: items.length });
    const { changed, failures } = await runOn(items, bulk.change, onProgress, controller.signal);
    report.current = () =>
      showToast(
        `${bulk.verb} ${formatCount(changed.length, 'preset', 'presets')}`,
        changed.length > 0 ? () => void undo(changed, bulk) : undefined,
      );
    if (failures.length > 0) setState({ kind: 'failed', failures, total: items.length });
    else close();
  };

  const close = () => {
    report.current?.();
    onDone();
  };

  return { state, start, stop: () => running.current?.abort(), close };
}
