import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { dialectNames, dialectOptions } from '../../api/dialects.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { messageOf, Notice } from '../../components/notice.tsx';
import { presetPath } from '../../components/preset-links.ts';
import { noteLength } from '../../features/capture/save-options.ts';
import type { Capture } from '../../features/capture/use-capture.ts';
import type { Draft } from '../../features/drafts/drafts.ts';
import { slugProblem } from '../../features/request/check-request.ts';
import styles from './new-preset.module.css';

interface SlugAndFormatProps extends Pick<Capture, 'draft' | 'checked' | 'recognized'> {
  readonly change: (changed: Partial<Draft>) => void;
  /** Whether the user has tried to save; only then is an empty slug an error. */
  readonly hasTriedToSave: boolean;
}

/** The format is detected from the request, unless the user selects another. */
export function SlugAndFormat({ draft, checked, recognized, change, hasTriedToSave }: SlugAndFormatProps) {
  const { slug, dialect: selected } = draft;
  const shown = selected ?? recognized ?? '';
  return (
    <div className={styles.formFields}>
      <TextField
        label="Slug"
        value={slug}
        // Pasted slugs often come with a space.
        onChange={(typed) => change({ slug: typed.trim() })}
        isMono
        focusOnMount
        placeholder="support-bot"
        autoComplete="off"
        hint={
          <>
            Call it as <code>@preset/{slug === '' ? 'support-bot' : slug}</code>.
          </>
        }
        error={slugProblem(slug, hasTriedToSave)}
      />
      <SelectField<Dialect | ''>
        label="Format"
        value={shown}
        options={shown === '' ? [['', 'Detect automatically'], ...dialectOptions] : dialectOptions}
        onChange={(dialect) =>
          change({ dialect: dialect === '' || dialect === recognized ? undefined : dialect })
        }
        hint={hintFor(recognized, selected)}
        error={
          shown === '' && checked.kind === 'valid' ? 'Could not detect the format. Choose one.' : undefined
        }
      />
    </div>
  );
}

function hintFor(recognized: Dialect | undefined, selected: Dialect | undefined): string {
  if (selected !== undefined && recognized !== undefined && selected !== recognized)
    return `Selected by you. The request looks like ${dialectNames[recognized]}.`;
  if (selected !== undefined && recognized === undefined) return 'Selected by you.';
  return recognized === undefined ? 'Detected when you paste a request.' : 'Detected from the request.';
}

interface NoteFieldProps extends Pick<Capture, 'note' | 'isNoteInText'> {
  readonly change: (changed: Partial<Draft>) => void;
}

export function NoteField({ note, isNoteInText, change }: NoteFieldProps) {
  const hint = (
    <>
      Set by <code>presetd.note</code> in the request.
    </>
  );
  return (
    <TextField
      label="Note"
      lines={2}
      value={note}
      onChange={(typed) => change({ note: typed === '' ? undefined : typed })}
      isReadOnly={isNoteInText}
      placeholder="Shown in the history"
      {...(isNoteInText ? { hint } : noteLength(note))}
    />
  );
}

interface SlugTakenNoticeProps {
  readonly slug: string;
  /** Whether a save has already failed because of it. */
  readonly isError: boolean;
  /** Opens the workbench of the existing preset with this text; returns false if it cannot. */
  readonly onContinue: () => Promise<boolean>;
}

/** Creating a preset never adds a version to an existing one. Its workbench does. */
export function SlugTakenNotice({ slug, isError, onContinue }: SlugTakenNoticeProps) {
  const opening = useMutation({ mutationFn: onContinue });
  return (
    <Notice
      kind={isError ? 'danger' : 'warning'}
      title={`${slug} already exists`}
      actions={
        <Button isSmall isBusy={opening.isPending} onClick={() => opening.mutate()}>
          Continue in its workbench
        </Button>
      }
    >
      {opening.error ? (
        `Could not open it: ${messageOf(opening.error)}`
      ) : opening.data === false ? (
        <>
          Your draft in its <Link href={presetPath(slug)}>workbench</Link> has unsaved changes. Save or
          discard it first.
        </>
      ) : (
        'Choose another slug, or continue in the workbench of the preset: this request becomes your draft.'
      )}
    </Notice>
  );
}
