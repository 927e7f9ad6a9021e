import { useState } from 'react';
import { tagPattern, tagRule, tagsMax } from '../../../src/core/presets/tag.ts';
import { TextField } from './fields.tsx';

interface TagFieldProps {
  readonly label: string;
  readonly placeholder: string;
  /** Those that are chosen already. */
  readonly tags: readonly string[];
  /** Resolves to false if the tag could not be added; the field then keeps it. */
  readonly onAdd: (tag: string) => Promise<boolean>;
}

/** Adds a tag on Enter or a comma. */
export function TagField({ label, placeholder, tags, onAdd }: TagFieldProps) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const add = async (typed: string) => {
    const tag = typed.trim().toLowerCase();
    if (tag === '') return;
    const problem = tagProblem(tag, tags);
    setError(problem);
    if (problem !== undefined || !(await onAdd(tag))) return;
    // The user may already be typing the next one.
    setText((now) => (now === typed ? '' : now));
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add(text);
      }}
    >
      <TextField
        label={label}
        isLabelHidden
        placeholder={placeholder}
        value={text}
        onChange={(typed) => {
          const tag = typed.replace(/,$/, '');
          setText(tag);
          setError(undefined);
          if (tag !== typed) void add(tag);
        }}
        error={error}
        autoComplete="off"
      />
    </form>
  );
}

const tagExpression = new RegExp(tagPattern);

/** The problem with the tag, as a sentence; undefined if it can be added. */
function tagProblem(tag: string, tags: readonly string[]): string | undefined {
  if (!tagExpression.test(tag)) return `A tag ${tagRule}.`;
  if (tags.includes(tag)) return `${tag} is already in the list.`;
  return tags.length >= tagsMax ? `There can be at most ${tagsMax} tags.` : undefined;
}
