import { isStatus } from '../../api/api-error.ts';
import { useMember } from '../../api/organization.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Loading } from '../../parts/loading.tsx';
import styles from '../organization.module.css';
import { type MemberActions, MemberTable } from './member-table.tsx';

interface FoundMemberProps {
  readonly email: string;
  readonly actions?: MemberActions;
  readonly onClear: () => void;
}

export function FoundMember({ email, actions, onClear }: FoundMemberProps) {
  const { data, error, refetch } = useMember(email);
  if (isStatus(error, 404))
    return (
      <Empty title="Nobody has this address">
        <p>There is no member {email}.</p>
        <Button onClick={onClear}>Show all members</Button>
      </Empty>
    );
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} retry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Loading lines={1} label="Looking for the member" />;
  return (
    <>
      <MemberTable members={[data]} isStale={false} {...(actions && { actions })} />
      <div className={styles.inset}>
        <Button isSmall onClick={onClear}>
          Show all members
        </Button>
      </div>
    </>
  );
}
