import { personName } from '../../api/organization.ts';
import { Avatar } from '../../components/avatar.tsx';
import styles from './person.module.css';

/** Enough of a person to recognize them. */
export interface NamedPerson {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

/** Initials, name and address, in two lines. Somebody without a name is shown by their address. */
export function PersonLabel({
  person,
  isMe = false,
}: {
  readonly person: NamedPerson;
  readonly isMe?: boolean;
}) {
  const name = personName(person);
  return (
    <span className={styles.person} title={name === '' ? person.email : `${name}\n${person.email}`}>
      <Avatar person={person} />
      <span className={styles.identity}>
        <span>
          <span className="strong">{name || person.email}</span>
          {isMe && <span className="muted"> (you)</span>}
        </span>
        {name !== '' && <span className="note">{person.email}</span>}
      </span>
    </span>
  );
}
