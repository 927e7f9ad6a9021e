import { isSlug } from '../../../src/core/slug.ts';
import { TextField } from '../parts/text-field.tsx';

interface SlugFieldProps {
  readonly slug: string;
  readonly onChange: (slug: string) => void;
  /** It was tried without a slug. */
  readonly isMissed: boolean;
}

export function SlugField({ slug, onChange, isMissed }: SlugFieldProps) {
  return (
    <TextField
      label="Slug"
      value={slug}
      onChange={(typed) => onChange(typed.trim())}
      isMono
      isFirst
      placeholder="support-bot"
      autoComplete="off"
      hint={
        <>
          Calls name it as <code>@preset/{slug === '' ? 'support-bot' : slug}</code>.
        </>
      }
      error={problemOf(slug, isMissed)}
    />
  );
}

export function problemOf(slug: string, isMissed = true): string | undefined {
  if (slug === '') return isMissed ? 'Give the preset a slug: the name by which calls find it.' : undefined;
  if (isSlug(slug)) return undefined;
  return slug.length > 128
    ? 'A slug has at most 128 characters.'
    : 'A slug has only letters from a to z, digits and - . _ ~, and is not "." or "..".';
}
