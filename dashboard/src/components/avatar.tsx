import styles from './avatar.module.css';

interface Named {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}

/** The initials of a person, hidden from screen readers. */
export function Avatar({ person }: { readonly person: Named }) {
  // As a style: it is not part of the name that speech control users say.
  return <span className={styles.avatar} data-initials={initialsOf(person)} aria-hidden="true" />;
}

/** Two letters for a name, one for an address. */
export function initialsOf({ first_name, last_name, email }: Named): string {
  const letters = [first_name, last_name].map((name) => [...name.trim()][0] ?? '').join('');
  return (letters || ([...email][0] ?? '')).toLocaleUpperCase('en');
}
