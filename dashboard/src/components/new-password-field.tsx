import { passwordLengthMin, passwordProblem } from '../../../src/core/accounts/password-rules.ts';
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
export function newPasswordProblem(password: string, email: string): string | undefined {
  const length = [...password.normalize('NFC')].length;
  if (length < passwordLengthMin)
    return `The password needs at least ${passwordLengthMin} characters. It has ${length}.`;
  const problem = passwordProblem(password, email, () => false);
  return problem && `The password ${problem}.`;
}
