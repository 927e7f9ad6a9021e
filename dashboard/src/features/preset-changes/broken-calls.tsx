import { findCallsBrokenBy } from '../../../../src/dialects/presets/extension/broken-calls.ts';
import { useLastCall } from '../../api/last-call.ts';
import { useVersion } from '../../api/presets.ts';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import type { ComparedVersion } from '../comparison/version-diff.tsx';

interface BrokenCallsProps {
  readonly slug: string;
  /** The version that calls get now, and the one that they will get. */
  readonly from: Pick<ComparedVersion, 'presetd'>;
  readonly to: Pick<ComparedVersion, 'presetd'>;
}

/** Says which calls will fail, and when the preset was last called. Nothing if none will. */
export function BrokenCalls({ slug, from, to }: BrokenCallsProps) {
  const broken = findCallsBrokenBy(from.presetd?.variables, to.presetd?.variables);
  if (broken.length === 0) return null;
  return (
    <Notice kind="warning" title="Some calls will fail">
      <ul aria-label="Calls that will fail">
        {broken.map(({ path, message }) => (
          <li key={path}>
            <code>{path.slice(path.lastIndexOf('/') + 1)}</code> <WithCode text={message} />
          </li>
        ))}
      </ul>
      <LastCallSentence slug={slug} />
    </Notice>
  );
}

/** Nothing if it was never called: dialogs that ask for a change say so themselves. */
function LastCallSentence({ slug }: { readonly slug: string }) {
  const calledAt = useLastCall(slug).data?.last_called_at;
  return (
    calledAt && (
      <p>
        The preset was last called <Time at={calledAt} />.
      </p>
    )
  );
}

/** The same for two saved versions. Nothing until both are loaded. */
export function BrokenCallsBetween({ slug, from, to }: { slug: string; from: number; to: number }) {
  const before = useVersion(slug, from).data;
  const after = useVersion(slug, to).data;
  return before && after ? <BrokenCalls slug={slug} from={before} to={after} /> : null;
}

/** Whether calls fail when they get one saved version instead of another; false without both. */
export function useBreaksCalls(slug: string, from: number | undefined, to: number | undefined): boolean {
  const before = useVersion(slug, from).data;
  const after = useVersion(slug, to).data;
  return before !== undefined && after !== undefined && breaksCalls(before, after);
}

export function breaksCalls(from: BrokenCallsProps['from'], to: BrokenCallsProps['to']): boolean {
  return findCallsBrokenBy(from.presetd?.variables, to.presetd?.variables).length > 0;
}

/** The button of a dialog that warns: it repeats that there is a risk, in words and in color. */
export function submitButton(label: string, isRisky: boolean) {
  return {
    submitLabel: isRisky ? `${label} anyway` : label,
    submitVariant: isRisky ? 'danger' : 'primary',
  } as const;
}

/** A text whose parts in backticks are code. */
function WithCode({ text }: { readonly text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part));
}
