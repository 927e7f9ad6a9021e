import { Button } from '../parts/button.tsx';
import styles from './capture-form.module.css';
import { DialectChoice } from './dialect-choice.tsx';
import type { Draft } from './drafts.ts';
import { SlugField } from './slug-field.tsx';
import type { Capture } from './use-capture.ts';

interface CaptureFieldsProps extends Pick<Capture, 'draft' | 'checked' | 'recognized'> {
  readonly change: (changed: Partial<Draft>) => void;
  /** The page is about this preset and no other. */
  readonly isSlugFixed: boolean;
  readonly isTried: boolean;
}

export function CaptureFields(props: CaptureFieldsProps) {
  const { draft, checked, recognized, change, isSlugFixed, isTried } = props;
  return (
    <div className={styles.fields}>
      {draft.before === undefined && (
        <SlugField slug={draft.slug} onChange={(slug) => change({ slug })} isMissed={isTried} />
      )}
      <DialectChoice
        recognized={recognized}
        chosen={draft.dialect}
        onChoose={(dialect) => change({ dialect })}
        isNeeded={checked.kind === 'fine'}
      />
      {draft.before !== undefined && !isSlugFixed && (
        <div className={styles.another}>
          <Button onClick={() => change({ before: undefined })}>Use another slug</Button>
        </div>
      )}
    </div>
  );
}
