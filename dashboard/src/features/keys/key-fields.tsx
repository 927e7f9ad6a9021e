import { type ReactNode, useState } from 'react';
import type { Key } from '../../../../src/api/keys.ts';
import { TextField } from '../../components/fields.tsx';
import { useAccess } from '../organization/access.tsx';
import { type Expiry, ExpiryField, readExpiry } from './expiry-field.tsx';
import type { KeyProblems } from './key-access.ts';
import { LimitField, type LimitInput, limitInput, readLimit } from './limit-field.tsx';
import { PresetPicker } from './preset-picker.tsx';

/** The input for creating or editing a key. */
interface KeyInput {
  readonly name: string;
  readonly presets: readonly string[];
  /** Text in the picker that is not a preset yet. */
  readonly typedPreset: string;
  readonly limit: LimitInput;
  readonly expiry: Expiry;
}

/** The input as fields of the API. What is undefined stays as it is. */
type KeyValues = Pick<Key, 'name' | 'presets'> & {
  readonly [Field in 'limit' | 'limit_reset' | 'expires_at']?: Key[Field] | undefined;
};

/**
 * The fields of a key, or of a new one. A problem is shown until the next change, and so is what
 * the server rejected: it names presets by their position.
 */
export function useKeyInput(apiKey: Key | undefined, resetRequest: () => void) {
  const [input, setInput] = useState<KeyInput>({
    name: apiKey?.name ?? '',
    presets: apiKey?.presets ?? [],
    typedPreset: '',
    limit: limitInput(apiKey),
    expiry: { choice: apiKey === undefined ? 'never' : 'keep', date: '' },
  });
  const [problems, setProblems] = useState<KeyProblems>({});
  const change = (changes: Partial<KeyInput>) => {
    // The picker of presets changes twice at once.
    setInput((current) => ({ ...current, ...changes }));
    setProblems({});
    resetRequest();
  };
  /** Undefined if there are problems. Called on submit, so that "in 30 days" counts from then. */
  const read = (isApiKey: boolean): KeyValues | undefined => {
    const { at, problem } = { at: undefined, ...readExpiry(input.expiry, Date.now()) };
    // Management keys make no calls.
    const { limit, problem: limitProblem } = isApiKey
      ? { limit: undefined, ...readLimit(input.limit) }
      : { limit: undefined, problem: undefined };
    const found: KeyProblems = {
      ...(limitProblem !== undefined && { limit: limitProblem }),
      ...(problem !== undefined && { expiry: problem }),
      // Without it, the key could call every preset.
      ...(isApiKey &&
        input.typedPreset.trim() !== '' && {
          presets: 'Choose a preset from the list, or clear the text.',
        }),
      ...(input.name.trim() === '' && { name: 'Enter a name.' }),
    };
    setProblems(found);
    if (Object.keys(found).length > 0) return undefined;
    const presets = isApiKey && input.presets.length > 0 ? [...input.presets] : null;
    return { name: input.name.trim(), presets, ...limit, expires_at: at };
  };
  return { input, change, problems, read };
}

interface KeyFieldsProps {
  readonly input: KeyInput;
  readonly onChange: (changes: Partial<KeyInput>) => void;
  readonly problems: KeyProblems;
  /** The workspace of an API key, whose presets can be chosen. */
  readonly workspaceId: string | undefined;
  /** Undefined for a new key. */
  readonly apiKey?: Key;
  /** The fields that only a new key has. */
  readonly children?: ReactNode;
}

export function KeyFields({ input, onChange, problems, workspaceId, apiKey, children }: KeyFieldsProps) {
  const { isAdmin } = useAccess();
  return (
    <>
      <TextField
        label="Name"
        value={input.name}
        onChange={(name) => onChange({ name })}
        error={problems.name}
        {...(apiKey === undefined && { hint: 'What the key is for, such as “Shop CI”.' })}
        maxLength={200}
        autoComplete="off"
        focusOnMount
      />
      {children}
      {workspaceId !== undefined && (
        <PresetPicker
          label="Only these presets (optional)"
          workspaceId={workspaceId}
          value={input.presets}
          onChange={(presets) => onChange({ presets })}
          typed={input.typedPreset}
          onTypedChange={(typedPreset) => onChange({ typedPreset })}
          error={problems.presets}
          hint={
            input.presets.length === 0
              ? 'Search by name, slug or alias. Without any, the key can call every preset of its workspace, and models directly.'
              : 'The key can call only these presets, and cannot list presets.'
          }
        />
      )}
      {workspaceId !== undefined && (
        <LimitField
          limit={input.limit}
          onChange={(limit) => onChange({ limit })}
          problem={problems.limit}
          hint={
            isAdmin || apiKey === undefined || apiKey.limit === null
              ? 'What calls with the key may cost. Without an amount, there is no limit.'
              : 'You can lower it. Only an admin can raise or remove it.'
          }
        />
      )}
      <ExpiryField
        expiry={input.expiry}
        onChange={(expiry) => onChange({ expiry })}
        problem={problems.expiry}
        {...(apiKey !== undefined && { current: `No change (${dateOf(apiKey.expires_at)})` })}
      />
    </>
  );
}

function dateOf(time: string | null): string {
  if (time === null) return 'never';
  return new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}
