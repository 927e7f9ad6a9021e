import { useState } from 'react';
import type { PresetCase } from '../../../../../src/api/cases.ts';
import { useCases, useChangeCase } from '../../../api/cases.ts';
import { Button } from '../../../components/button.tsx';
import { messageOf } from '../../../components/notice.tsx';
import { formatCount } from '../../../components/text.ts';
import { useToast } from '../../../components/toasts.tsx';
import { useWorkbench } from '../workbench.ts';

interface CopyInCasesProps {
  readonly from: string;
  readonly to: string;
}

/**
 * Offers to give test cases the value of a renamed variable under its new name. They keep the old
 * one, which versions before the rename have.
 */
export function CopyInCases({ from, to }: CopyInCasesProps) {
  const { slug, preset } = useWorkbench();
  const { data = [] } = useCases(slug, preset?.etag);
  const saving = useChangeCase(slug);
  const showToast = useToast();
  const [isCopying, setIsCopying] = useState(false);
  const affected = data.filter(
    ({ variables }) => Object.hasOwn(variables, from) && !Object.hasOwn(variables, to),
  );
  const count = formatCount(affected.length, 'test case', 'test cases');
  const copy = async () => {
    setIsCopying(true);
    try {
      for (const seen of affected) await saving.mutateAsync(withCopy(seen, from, to));
      showToast(`Copied the value of ${from} to ${to} in ${count}`);
    } catch (error) {
      showToast(`Could not change all test cases: ${messageOf(error)}`);
    } finally {
      setIsCopying(false);
    }
  };
  if (affected.length === 0) return null;
  return (
    <p className="note" role="status">
      {count} {affected.length === 1 ? 'has' : 'have'} a value for <code>{from}</code>, and none for{' '}
      <code>{to}</code>.{' '}
      <Button isSmall isBusy={isCopying} onClick={() => void copy()}>
        Copy {affected.length === 1 ? 'it' : 'them'}
      </Button>
    </p>
  );
}

function withCopy(seen: PresetCase, from: string, to: string) {
  const { name, variables, messages, note } = seen;
  return { name, content: { variables: { ...variables, [to]: variables[from] }, messages, note }, seen };
}
