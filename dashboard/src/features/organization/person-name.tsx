import { type Directory, personName, useDirectory } from '../../api/organization.ts';
import { classNames } from '../../components/class-names.ts';
import styles from './person.module.css';

/**
 * Somebody by name, with their address on hover. By address if they have no name or are no member.
 * Nothing until the names are loaded, so that no address flashes up.
 */
export function PersonName({
  email,
  className,
}: {
  readonly email: string;
  readonly className?: string | undefined;
}) {
  const { directory, isLoading } = useDirectory();
  const name = nameOf(directory, email);
  return (
    <span title={email} className={classNames(className, isLoading && styles.isLoading)}>
      {name}
    </span>
  );
}

/** For sorting and searching: two people may have the same name. */
export function personText(directory: Directory, email: string): string {
  const name = nameOf(directory, email);
  return name === email ? email : `${name} (${email})`;
}

/** The name, or else the address. */
function nameOf(directory: Directory, email: string): string {
  const member = directory.get(email);
  return (member && personName(member)) || email;
}
