import { Trash2 } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { parseExactJson } from '../../api/exact-json.ts';
import { IconButton } from '../../components/button.tsx';
import { TextField } from '../../components/fields.tsx';
import { checkRequestText } from '../capture/check-request.ts';
import styles from './workbench.module.css';
import { useWorkbench } from './workbench.ts';

interface JsonFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Shows a button that removes the value. */
  readonly onRemove?: () => void;
  readonly hint?: string;
  readonly isReadOnly?: boolean;
  readonly isLabelHidden?: boolean;
}

/**
 * Edits a value as JSON. Every complete text is a change; while it is incomplete, the value stays
 * and the field says what is missing.
 */
export function JsonField(props: JsonFieldProps) {
  const { label, value, onChange, onRemove, hint, isReadOnly = false, isLabelHidden = false } = props;
  const shown = JSON.stringify(value, null, 2) ?? '';
  const [typed, setTyped] = useState({ text: shown, of: shown });
  // Another part of the page, or undo, has changed the value.
  useEffect(() => {
    setTyped((before) => (before.of === shown ? before : { text: shown, of: shown }));
  }, [shown]);
  const parsed = parse(typed.text);
  useIncomplete(label, parsed.problem !== undefined && !isReadOnly);
  const field = (
    <TextField
      label={label}
      isMono
      lines={Math.min(16, Math.max(2, typed.text.split('\n').length))}
      value={typed.text}
      hint={hint}
      error={parsed.problem}
      isReadOnly={isReadOnly}
      isLabelHidden={isLabelHidden}
      onChange={(text) => {
        const next = parse(text);
        setTyped({ text, of: 'value' in next ? (JSON.stringify(next.value, null, 2) ?? '') : typed.of });
        if ('value' in next) onChange(next.value);
      }}
    />
  );
  if (onRemove === undefined || isReadOnly) return field;
  return (
    <div className={styles.removable}>
      {field}
      <IconButton icon={Trash2} title="Remove" of={label} onClick={onRemove} />
    </div>
  );
}

/** Tells the save bar of a text that saving would lose. */
function useIncomplete(label: string, isIncomplete: boolean): void {
  const { incomplete } = useWorkbench();
  const id = useId();
  useEffect(() => {
    if (!isIncomplete) return;
    incomplete.set(new Map([...incomplete.get(), [id, label]]));
    return () => incomplete.set(new Map([...incomplete.get()].filter(([other]) => other !== id)));
  }, [incomplete, id, label, isIncomplete]);
}

function parse(
  text: string,
): { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string } {
  try {
    return { value: parseExactJson(text) };
  } catch {
    if (text.trim() === '') return { problem: 'Enter a JSON value.' };
    // Its checks explain common mistakes; in an object, because it expects one.
    const checked = checkRequestText(`{"value":${text}}`);
    return { problem: checked.kind === 'invalid' ? checked.problem.message : 'Invalid JSON.' };
  }
}
