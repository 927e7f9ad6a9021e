import { passwordLengthMin } from '../../../src/api/limits.ts';
import { TextField } from './fields.tsx';

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (password: string) => void;
  readonly error: string | undefined;
}

/** A field for a password that does not exist yet, so that password managers suggest one. */
export function NewPasswordField(props: NewPasswordFieldProps) {
  return (
    <TextField
      {...props}
      label="New password"
      type="password"
      autoComplete="new-password"
      hint={`At least ${passwordLengthMin} characters. A few random words are a good password.`}
    />
  );
}

/** The server also refuses common passwords, which takes a list that is not loaded here. */
export function newPasswordProblem(password: string): string | undefined {
  const length = [...password.normalize('NFC')].length;
  return length < passwordLengthMin
    ? `The password needs at least ${passwordLengthMin} characters. It has ${length}.`
    : undefined;
}
