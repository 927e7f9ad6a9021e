import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import { isEmail } from '../../../../src/core/organization/organization.ts';
import { isSlug } from '../../../../src/core/preset-slug.ts';
import { personName, useDirectory } from '../../api/organization.ts';
import type { FilterValue, OpenFilter } from '../../components/filter-menu.tsx';
import { startOfDay } from '../../components/time.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { usePresetSearch } from '../../features/keys/preset-picker.tsx';
import { type AuditFilterName, kindOptions } from './audit-filter.ts';

const debounceMs = 180;

/** The values of the open filter, including deleted people and presets that the log names. */
export function useAuditValues(
  open: OpenFilter<AuditFilterName> | undefined,
  workspaces: readonly WorkspaceAccess[],
  place: WorkspaceAccess | undefined,
): { readonly values: readonly FilterValue[] | undefined; readonly error: unknown } {
  const typed = (open?.typed ?? '').trim();
  const { directory, isLoading } = useDirectory();
  const { value: q } = useDebounced(typed, debounceMs);
  const presets = usePresetSearch(open?.name === 'preset' ? place?.id : undefined, q);
  switch (open?.name) {
    case undefined:
      return { values: undefined, error: null };
    case 'actor': {
      const members = [...directory.values()].map((member) => {
        const name = personName(member);
        return { value: member.email, text: name || member.email, detail: name && member.email };
      });
      const others = ['operator', 'anonymous'].map((id) => ({ value: id, text: id }));
      const isFormer = isEmail(typed) && !directory.has(typed);
      const former = { value: typed, text: typed, detail: 'Former member' };
      return {
        values: isLoading ? undefined : [...members, ...others, ...(isFormer ? [former] : [])],
        error: null,
      };
    }
    case 'kind':
      return { values: kindOptions.slice(1).map(([value, text]) => ({ value, text })), error: null };
    case 'workspace':
      return { values: workspaces.map(({ slug, name }) => ({ value: slug, text: name })), error: null };
    case 'preset': {
      if (place !== undefined && (q !== typed || presets.isPlaceholderData))
        return { values: undefined, error: null };
      const found = (presets.data ?? []).map(({ slug, name }) => ({
        value: slug,
        text: name,
        detail: name === slug ? undefined : slug,
      }));
      const isFormer = isSlug(typed) && !found.some(({ value }) => value === typed);
      const isLoading = place !== undefined && presets.data === undefined;
      return {
        values: isLoading ? undefined : [...found, ...(isFormer ? [{ value: typed, text: typed }] : [])],
        error: presets.error,
      };
    }
    default:
      return { values: daysFor(typed), error: null };
  }
}

/** Some recent days, and any that is typed. */
function daysFor(typed: string): readonly FilterValue[] {
  if (startOfDay(typed) !== undefined) return [{ value: typed, text: typed }];
  return recentDays.map(([back, text]) => {
    const now = new Date();
    const day = dayText(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back));
    return { value: day, text, detail: day };
  });
}

const recentDays = [
  [0, 'Today'],
  [1, 'Yesterday'],
  [7, '7 days ago'],
  [30, '30 days ago'],
  [90, '90 days ago'],
] as const;

/** In the time zone of the user, as the log shows its times. */
function dayText(day: Date): string {
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
