import { isSlug } from '../../../src/core/presets/preset.ts';
import { TextField } from '../ui/text-field.tsx';

interface SlugFieldProps {
  readonly slug: string;
  readonly onChange: (slug: string) => void;
  /** Whether an empty slug is an error yet. */
  readonly isRequired: boolean;
}

/** Trims as the user types: pasted slugs often come with a space. */
export function SlugField({ slug, onChange, isRequired }: SlugFieldProps) {
  return (
    <TextField
      label="Slug"
      value={slug}
      onChange={(typed) => onChange(typed.trim())}
      isMono
      focusOnMount
      placeholder="support-bot"
      autoComplete="off"
      hint={
        <>
          Call it as <code>@preset/{slug === '' ? 'support-bot' : slug}</code>.
        </>
      }
      error={slugProblem(slug, isRequired)}
    />
  );
}

/** What is wrong with a slug; undefined for a valid one. */
export function slugProblem(slug: string, isRequired = true): string | undefined {
  if (slug === '') return isRequired ? 'Enter a slug. Calls use it to find the preset.' : undefined;
  if (isSlug(slug)) return undefined;
  return slug.length > 128
    ? 'Use at most 128 characters.'
    : 'Use only letters A to Z, digits and - . _ ~. A slug cannot be "." or "..".';
}
