import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { TextField } from '../../../components/fields.tsx';
import { checkRequestText } from '../../../features/request/check-request.ts';
import { ModelField } from '../../../features/request/model-field.tsx';
import { setField } from '../../../features/request/request-text.ts';
import { useImport } from '../import-request.tsx';
import type { StartProps } from '../open-workbench.tsx';
import { useWorkbench } from '../workbench.ts';
import styles from './new-preset.module.css';

/** Where a new preset comes from: a request that works, or a prompt that is still to be written. */
export function NewPresetStart({ onWrite, onReveal }: StartProps) {
  const { edit, replaceText } = useWorkbench();
  const importText = useImport();
  const [model, setModel] = useState('');
  const scratch = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (location.hash === '#from-scratch') scratch.current?.querySelector('input')?.focus();
  }, []);
  /** The request editor shows what is wrong with a text that is no request. */
  const take = (text: string) => {
    if (text.trim() === '' || importText(text)) return;
    replaceText(text);
    const checked = checkRequestText(text);
    onReveal(checked.kind === 'invalid' ? checked.problem.from : text.length);
  };
  return (
    <div className={styles.start}>
      <section className="stack-2" aria-labelledby="from-request">
        <div className={styles.startTitle}>
          <h2 id="from-request">Paste a request</h2>
          <Button isSmall onClick={() => take(exampleRequest)}>
            Insert example
          </Button>
        </div>
        <TextField
          label="Request"
          isLabelHidden
          isMono
          lines={9}
          value=""
          placeholder={'A request that works: its JSON body,\nor the curl command that sends it'}
          hint="Model, system prompt, tools and other settings become the preset. Its messages are ready to run."
          onChange={take}
        />
      </section>
      <section className="stack-2" aria-labelledby="from-scratch">
        <h2 id="from-scratch">Or write a prompt</h2>
        <form
          ref={scratch}
          className={styles.scratch}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (model !== '') edit((text) => setField(text, ['model'], model));
            onWrite();
          }}
        >
          <ModelField label="Model" value={model} onChange={(chosen = '') => setModel(chosen)} />
          <Button type="submit">Write a prompt</Button>
        </form>
      </section>
    </div>
  );
}

/** Inserted on request, for users who have no request at hand. */
const exampleRequest = `{
  "model": "openai/gpt-5",
  "temperature": 0.2,
  "messages": [
    { "role": "system", "content": "You support Acme customers. Be brief." },
    { "role": "user", "content": "Where is my parcel?" }
  ]
}
`;
