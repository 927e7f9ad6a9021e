import type { ReactNode } from 'react';
import { usePreset } from '../../api/presets.ts';
import styles from './presets.module.css';
import { findSnippet } from './search-match.ts';

interface PromptMatchProps {
  readonly slug: string;
  /** Search matches in the prompt, hidden in the row. */
  readonly words: readonly string[];
  /** Shown until the prompt is here, and if only the note matches. */
  readonly children: ReactNode;
}

/** Why a search found a preset: the place in the live prompt. Loads only rows that are rendered. */
export function PromptMatch({ slug, words, children }: PromptMatchProps) {
  const prompt = usePreset(slug).data?.preset.designated_version.system_prompt ?? '';
  const snippet = findSnippet(prompt, words);
  if (snippet === undefined) return children;
  const { before, match, after } = snippet;
  return (
    <span className={styles.snippet} title={`In the prompt: ${before}${match}${after}`}>
      <span className="visually-hidden">In the prompt: </span>
      {before}
      <mark>{match}</mark>
      {after}
    </span>
  );
}
