import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { dialectNames, dialectOptions } from '../../api/dialects.ts';
import { type PresetSnapshot, useFetchPreset } from '../../api/presets.ts';
import { Button } from '../../components/button.tsx';
import { CheckboxField, SelectField, TextField } from '../../components/fields.tsx';
import { messageOf, Notice } from '../../components/notice.tsx';
import { presetPath } from '../preset/preset-links.ts';
import styles from './capture.module.css';
import { slugProblem } from './check-request.ts';
import type { Draft } from './drafts.ts';
import { noteLength } from './save-options.ts';
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
 * The format is detected from the request, unless the user selects another.
 */
export function CaptureFields(props: CaptureFieldsProps) {
  const { draft, checked, recognized, change, isSlugFixed, hasTriedToSave } = props;
  const { slug, dialect: selected } = draft;
  const shown = selected ?? recognized ?? '';
  return (
    <div className={styles.formFields}>
      {draft.before === undefined && (
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
      )}
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
      {draft.before !== undefined && !isSlugFixed && (
        <div className={styles.changeSlug}>
          <Button onClick={() => change({ before: undefined })}>Use a different slug</Button>
        </div>
      )}
    </div>
  );
}

interface SaveFieldsProps extends Pick<Capture, 'draft' | 'saveOptions' | 'version'> {
  readonly change: (changed: Partial<Draft>) => void;
}

/** The note of the version, and whether it goes live, which the first version always does. */
export function SaveFields({ draft, saveOptions, version, change }: SaveFieldsProps) {
  const { note, goesLive, canGoLive, isNoteInText, isGoesLiveInText } = saveOptions;
  const { slug, before } = draft;
  const live = before?.preset.designated_version.version;
  return (
    <div className="stack-3">
      <TextField
        label="Note"
        lines={2}
        value={note}
        onChange={(typed) => change({ note: typed === '' ? undefined : typed })}
        isReadOnly={isNoteInText}
        placeholder={`${before === undefined ? '' : 'What changed? '}Shown in the list of versions`}
        {...(isNoteInText ? { hint: inText('note') } : noteLength(note))}
      />
      {before !== undefined && (
        <CheckboxField
          label="Go live now"
          isChecked={goesLive}
          onChange={(isChecked) => change({ goesLive: isChecked ? undefined : false })}
          isDisabled={isGoesLiveInText || !canGoLive}
          hint={
            <>
              {goesLive ? (
                `Replaces version ${live} for everyone who calls the preset.`
              ) : (
                <>
                  Version {live} stays live. Try the new one as{' '}
                  <code>
                    @preset/{slug}
                    {version === undefined ? ':latest' : `@${version}`}
                  </code>
                  .
                </>
              )}
              {isGoesLiveInText && <> {inText('designate')}</>}
              {!canGoLive && ' Only admins of the workspace can change the live version.'}
            </>
          }
        />
      )}
    </div>
  );
}

/** Explains why a field cannot be changed. */
function inText(name: string) {
  return (
    <>
      Set by <code>presetd.{name}</code> in the request.
    </>
  );
}

function hintFor(recognized: Dialect | undefined, selected: Dialect | undefined): string {
  if (selected !== undefined && recognized !== undefined && selected !== recognized)
    return `Selected by you. The request looks like ${dialectNames[recognized]}.`;
  if (selected !== undefined && recognized === undefined) return 'Selected by you.';
  return recognized === undefined ? 'Detected when you paste a request.' : 'Detected from the request.';
}

interface SlugTakenNoticeProps {
  readonly slug: string;
  /** The version that the text would become; undefined if not known yet. */
  readonly version: number | undefined;
  /** Whether a save has already failed because of it. */
  readonly isError: boolean;
  /** Called to save the text as the next version of the existing preset instead. */
  readonly onAdd: (snapshot: PresetSnapshot) => void;
}

/**
 * Creating a preset never adds a version to an existing one. This notice offers to do so
 * explicitly.
 */
export function SlugTakenNotice({ slug, version, isError, onAdd }: SlugTakenNoticeProps) {
  const fetchPreset = useFetchPreset();
  const fetching = useMutation({ mutationFn: () => fetchPreset(slug), onSuccess: onAdd });
  const next = version === undefined ? 'a new version' : `version ${version}`;
  return (
    <Notice
      kind={isError ? 'danger' : 'warning'}
      title={`${slug} already exists`}
      actions={
        <Button isSmall isBusy={fetching.isPending} onClick={() => fetching.mutate()}>
          Add as {next}
        </Button>
      }
    >
      {fetching.error ? (
        messageOf(fetching.error)
      ) : (
        <>
          Choose another slug, or add this as {next} of <Link href={presetPath(slug)}>{slug}</Link>.
        </>
      )}
    </Notice>
  );
}
