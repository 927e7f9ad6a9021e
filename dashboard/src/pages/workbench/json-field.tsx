import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { parseExactJson } from '../../api/exact-json.ts';
import { IconButton } from '../../components/button.tsx';
import { TextField } from '../../components/fields.tsx';
import { checkRequestText } from '../../features/request/check-request.ts';
import { type JSONPath, setField } from '../../features/request/request-text.ts';
import { isPlainJsonObject } from '../../features/version-content/config-values.ts';
import { valueAt } from './draft-content.ts';
import { jsonAt } from './incomplete-fields.ts';
import { useIncompleteText } from './use-incomplete-text.ts';
import styles from './workbench.module.css';
import { useDraft, useWorkbench } from './workbench.ts';

interface JsonFieldProps {
  readonly label: string;
  /** Where the request has the value. */
  readonly path: JSONPath;
  /** Only an object is a value. */
  readonly isObject?: boolean;
  /** Describes a likely mistake in a value. It does not prevent saving. */
  readonly problemOf?: (value: unknown) => string | undefined;
  /** Shows a button that removes the value. */
  readonly onRemove?: () => void;
  readonly hint?: string | undefined;
  readonly isLabelHidden?: boolean;
}

/**
 * Edits a value of the request as JSON. Every complete text is a change; while it is incomplete,
 * the value stays and the field says what is missing.
 */
export function JsonField(props: JsonFieldProps) {
  const { label, path, isObject = false, problemOf, onRemove, hint, isLabelHidden = false } = props;
  const { canEdit, edit, draft } = useWorkbench();
  // Equal values are the same object, so this renders only when the value changes.
  useDraft(({ body }) => valueAt(body, path));
  const shown = jsonAt(draft.get().body, path) ?? '';
  const { text: kept, keep } = useIncompleteText(path);
  // The text as the user has formatted it, until something else changes the value.
  const [complete, setComplete] = useState({ text: shown, of: shown });
  const text = kept ?? (complete.of === shown ? complete.text : shown);
  const parsed = parse(text, isObject);
  const field = (
    <TextField
      label={label}
      isMono
      lines={Math.min(16, Math.max(2, text.split('\n').length))}
      value={text}
      hint={hint}
      error={'value' in parsed ? problemOf?.(parsed.value) : parsed.problem}
      isReadOnly={!canEdit}
      isLabelHidden={isLabelHidden}
      onChange={(typed) => {
        const next = parse(typed, isObject);
        if (!('value' in next)) return keep({ label, text: typed });
        setComplete({ text: typed, of: JSON.stringify(next.value, null, 2) });
        keep(undefined);
        edit((request) => setField(request, path, next.value));
      }}
    />
  );
  if (onRemove === undefined || !canEdit) return field;
  return (
    <div className={styles.removable}>
      {field}
      <IconButton icon={Trash2} title="Remove" of={label} onClick={onRemove} />
    </div>
  );
}

function parse(
  text: string,
  isObject: boolean,
): { readonly value: unknown; readonly problem?: undefined } | { readonly problem: string } {
  try {
    const value = parseExactJson(text);
    return isObject && !isPlainJsonObject(value) ? { problem: 'Enter a JSON object.' } : { value };
  } catch {
    if (text.trim() === '') return { problem: 'Enter a JSON value.' };
    // Its checks explain common mistakes; in an object, because it expects one.
    const checked = checkRequestText(`{"value":${text}}`);
    return { problem: checked.kind === 'invalid' ? checked.problem.message : 'Invalid JSON.' };
  }
}
