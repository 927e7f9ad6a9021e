import { type FormEvent, useEffect, useState } from 'react';
import { isEmail } from '../../../../src/core/organization.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import styles from '../organization.module.css';

interface FindMemberProps {
  readonly email: string;
  readonly onFind: (email: string) => void;
}

/** The server knows members by their whole address only. */
export function FindMember({ email, onFind }: FindMemberProps) {
  const [typed, setTyped] = useState(email);
  const [problem, setProblem] = useState<string>();
  // Back and forward, and a search that is cleared, change it from outside.
  useEffect(() => setTyped(email), [email]);
  const find = (event: FormEvent) => {
    event.preventDefault();
    const wanted = typed.trim();
    if (wanted !== '' && !isEmail(wanted)) return setProblem('Give the whole e-mail address.');
    onFind(wanted);
  };
  return (
    <search>
      <form className={styles.filters} onSubmit={find} noValidate>
        <div className={styles.grow}>
          <TextField
            label="Find by e-mail"
            isLabelHidden
            type="search"
            placeholder="Find by whole e-mail address"
            value={typed}
            onChange={(value) => {
              setTyped(value);
              setProblem(undefined);
              if (value === '' && email !== '') onFind('');
            }}
            error={problem}
            maxLength={254}
          />
        </div>
        <Button type="submit">Find</Button>
      </form>
    </search>
  );
}
