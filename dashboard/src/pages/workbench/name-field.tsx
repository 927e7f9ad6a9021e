import { useState } from 'react';
import { flushSync } from 'react-dom';
import { TextField } from '../../components/fields.tsx';
import type { JSONPath } from '../../features/request/request-text.ts';
import { useIncompleteText } from './use-incomplete-text.ts';
import styles from './workbench.module.css';

interface NameFieldProps {
  readonly name: string;
  /** Where the request has what it names. */
  readonly path: JSONPath;
  /** Returns the problem with a name; undefined if there is none. */
  readonly problemOf: (typed: string) => string | undefined;
  readonly onRename: (name: string) => void;
  readonly isReadOnly: boolean;
  /** Focuses the field when it appears. */
  readonly focusOnMount?: boolean;
  readonly isLabelHidden?: boolean;
}

/**
 * Edits a unique name. It changes when the user leaves the field: while they type `user_name`, the
 * text is `user` for a moment, which may be the name of another. A text that cannot be a name is
 * kept as incomplete, so that the draft is not saved without it.
 */
export function NameField(props: NameFieldProps) {
  const { name, path, problemOf, onRename, isReadOnly, focusOnMount = false, isLabelHidden = false } = props;
  // Stored with its name: React identifies rows by position, which changes when one is removed.
  const [typed, setTyped] = useState<{ readonly of: string; readonly text: string }>();
  const { text: kept, keep } = useIncompleteText([...path, 'name']);
  const text = kept ?? (typed?.of === name ? typed.text : name);
  const problem = text === name ? undefined : problemOf(text);
  const rename = () => {
    if (text === name || problem !== undefined) return;
    // The name may become this one again, such as when the draft is discarded.
    setTyped(undefined);
    keep(undefined);
    onRename(text);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles events of the field inside
    <div
      className={styles.grow}
      onBlur={rename}
      onKeyDown={({ key, ctrlKey, metaKey }) => {
        // Also before the keys that run or save the draft, which must have the name.
        if (key === 'Enter' || (key === 's' && (ctrlKey || metaKey))) flushSync(rename);
      }}
    >
      <TextField
        label="Name"
        isLabelHidden={isLabelHidden}
        isMono
        value={text}
        error={problem}
        isReadOnly={isReadOnly}
        focusOnMount={focusOnMount}
        onChange={(next) => {
          const isInvalid = next !== name && problemOf(next) !== undefined;
          setTyped(isInvalid ? undefined : { of: name, text: next });
          keep(isInvalid ? { label: `The new name of ${name}`, text: next } : undefined);
        }}
      />
    </div>
  );
}
