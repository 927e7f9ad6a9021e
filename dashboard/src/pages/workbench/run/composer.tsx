import { Paperclip } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/fields.tsx';
import { type Attachment, attachmentsProblem } from '../../../features/runs/message.ts';
import styles from '../workbench.module.css';

interface ComposerProps {
  readonly text: string;
  readonly onType: (text: string) => void;
  readonly error: string | undefined;
  readonly attachments: readonly Attachment[];
  /** Gets the newest attachments: reading a file takes time. */
  readonly onAttach: (change: (attachments: readonly Attachment[]) => readonly Attachment[]) => void;
  readonly onSubmit: () => void;
  readonly onError: (message: string) => void;
  /** Buttons below the message. */
  readonly children: ReactNode;
}

/** The next message, with images and files. */
export function Composer(props: ComposerProps) {
  const { text, onType, error, attachments, onAttach, onSubmit, onError, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const add = async (files: readonly File[]) => {
    const problem = attachmentsProblem(attachments, files);
    if (problem !== undefined) return onError(problem);
    try {
      const read = await Promise.all(files.map(readFile));
      onAttach((before) => [...before, ...read]);
    } catch (error) {
      onError(`Could not attach: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSubmit();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles a key of the field inside
    <div className="stack-1" onKeyDown={onKeyDown}>
      <TextField
        label="Message"
        isLabelHidden
        lines={2}
        value={text}
        onChange={onType}
        error={error}
        placeholder="User message"
      />
      {attachments.length > 0 && (
        <div className={styles.row}>
          {attachments.map(({ name }, index) => (
            <Button
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
              key={index}
              isSmall
              variant="quiet"
              aria-label={`Remove ${name}`}
              onClick={() => onAttach((before) => before.toSpliced(index, 1))}
            >
              {name} ×
            </Button>
          ))}
        </div>
      )}
      <div className={styles.row}>
        {children}
        <Button onClick={() => input.current?.click()}>
          <Paperclip aria-hidden="true" />
          Attach
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Images and files"
          onChange={(event) => {
            void add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </div>
    </div>
  );
}

function readFile(file: File): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: String(reader.result) });
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}
