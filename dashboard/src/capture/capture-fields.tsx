import { Button } from '../ui/button.tsx';
import styles from './capture-form.module.css';
import { DialectField } from './dialect-field.tsx';
import type { Draft } from './drafts.ts';
import { SlugField } from './slug-field.tsx';
import type { Capture } from './use-capture.ts';

interface CaptureFieldsProps extends Pick<Capture, 'draft' | 'checked' | 'recognized'> {
  readonly change: (changed: Partial<Draft>) => void;
  /** The page creates a version of one preset, so its slug cannot change. */
  readonly isSlugFixed: boolean;
  /** Whether the user has tried to save; only then is an empty slug an error. */
  readonly hasTriedToSave: boolean;
}

/**
 * Slug and format. Once the text is a version of an existing preset, the slug is part of the title.
 */
export function CaptureFields(props: CaptureFieldsProps) {
  const { draft, checked, recognized, change, isSlugFixed, hasTriedToSave } = props;
  return (
    <div className={styles.fields}>
      {draft.before === undefined && (
        <SlugField slug={draft.slug} onChange={(slug) => change({ slug })} isRequired={hasTriedToSave} />
      )}
      <DialectField
        recognized={recognized}
        selected={draft.dialect}
        onSelect={(dialect) => change({ dialect })}
        isRequired={checked.kind === 'valid'}
      />
      {draft.before !== undefined && !isSlugFixed && (
        <div className={styles.changeSlug}>
          <Button onClick={() => change({ before: undefined })}>Use a different slug</Button>
        </div>
      )}
    </div>
  );
}
