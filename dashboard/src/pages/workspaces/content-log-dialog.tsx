import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ContentLog, Workspace } from '../../../../src/api/workspaces.ts';
import { issueOf } from '../../api/api-error.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { Dialog, DialogBody, FormDialog } from '../../components/dialog.tsx';
import { RadioField, TextField } from '../../components/fields.tsx';
import { Loading } from '../../components/loading.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import styles from '../../features/organization/organization.module.css';
import { type ContentLogTexts, readContentLog, textsOf } from './content-log-texts.ts';

interface ContentLogDialogProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

/** Turns the log of what calls say on or off, and sets its limits. */
export function ContentLogDialog({ workspace, onClose }: ContentLogDialogProps) {
  const { api } = useSession();
  const { id, name } = workspace;
  const { data, error, refetch } = useQuery({
    queryKey: ['workspaces', 'content-log', id, 'form'],
    // The form starts with what is stored now.
    gcTime: 0,
    queryFn: async ({ signal }) =>
      (await api.call('GET /workspaces/:id/content-log', { params: { id } }, { signal })).content.data,
  });
  if (data !== undefined) return <ContentLogForm workspace={workspace} settings={data} onClose={onClose} />;
  return (
    <Dialog title={titleFor(name)} onClose={onClose}>
      <DialogBody footer={null}>
        {error === null ? (
          <Loading label="Loading settings" />
        ) : (
          <ErrorNotice error={error} title="Could not load the settings" retry={() => void refetch()} />
        )}
      </DialogBody>
    </Dialog>
  );
}

interface ContentLogFormProps extends ContentLogDialogProps {
  readonly settings: ContentLog;
}

function ContentLogForm({ workspace: { id, name }, settings, onClose }: ContentLogFormProps) {
  const [texts, setTexts] = useState<ContentLogTexts>(textsOf(settings));
  const [isOn, setIsOn] = useState(settings.enabled);
  const [isAsked, setIsAsked] = useState(false);
  const showToast = useToast();
  const change = useOrganizationChange<'PATCH /workspaces/:id/content-log'>(({ data: { enabled } }) => {
    if (enabled !== settings.enabled)
      showToast(`Content of calls in ${name} is ${enabled ? 'logged from now on' : 'no longer logged'}`);
    else showToast(`Updated the content log of ${name}`);
    onClose();
  });
  const read = readContentLog(texts);
  const errorOf = (field: keyof ContentLogTexts) => (isAsked ? read.errors[field] : undefined);
  const patternIssue = read.settings.redaction_patterns
    .map((pattern, index) => issueOf(change.error, `/redaction_patterns/${index}`, `The pattern ${pattern}`))
    .find((issue) => issue !== undefined);
  const edit = (field: keyof ContentLogTexts) => (value: string) => {
    setTexts({ ...texts, [field]: value });
    change.reset();
  };
  const submit = () => {
    setIsAsked(true);
    if (Object.keys(read.errors).length > 0) return;
    const body = { enabled: isOn, ...read.settings };
    change.mutate((api) => api.call('PATCH /workspaces/:id/content-log', { params: { id }, body }));
  };
  return (
    <FormDialog
      title={titleFor(name)}
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      change={{ isPending: change.isPending, error: patternIssue === undefined ? change.error : null }}
    >
      <RadioField
        label="Requests and responses of calls"
        value={isOn ? 'on' : 'off'}
        onChange={(value) => {
          setIsOn(value === 'on');
          change.reset();
        }}
        choices={[
          {
            value: 'off',
            label: 'Not stored',
            hint: 'Records of calls have tokens, cost and times. What is stored already stays until it expires.',
          },
          {
            value: 'on',
            label: 'Stored for a limited time',
            hint: 'Admins of this workspace can read them and save them as test cases. Every read is recorded in the audit log.',
          },
        ]}
      />
      {isOn && (
        <>
          <div className={styles.pair}>
            <TextField
              label="Sampling rate, %"
              type="number"
              value={texts.percent}
              onChange={edit('percent')}
              error={errorOf('percent')}
            />
            <TextField
              label="Days until deletion"
              type="number"
              value={texts.days}
              onChange={edit('days')}
              error={errorOf('days')}
              hint="Also applies to stored content."
            />
          </div>
          <TextField
            label="Size per call, KiB"
            type="number"
            value={texts.size}
            onChange={edit('size')}
            error={errorOf('size')}
            hint="Longer calls are truncated, longest strings first."
          />
          <TextField
            label="Redact (optional)"
            value={texts.patterns}
            onChange={edit('patterns')}
            error={errorOf('patterns') ?? patternIssue}
            lines={3}
            isMono
            placeholder="[\w.+-]+@[\w.-]+"
            hint="Regular expressions, one per line. What they match is replaced before it is stored."
          />
          <Explanation>
            Patterns find only what they describe: not names, and nothing in images. Calls with{' '}
            <code>"store": false</code> and keys are never stored.{' '}
            <Link href="~/guides/content-log">What is logged</Link>
          </Explanation>
        </>
      )}
    </FormDialog>
  );
}

function Explanation({ children }: { readonly children: ReactNode }) {
  return <p className="note">{children}</p>;
}

function titleFor(name: string): string {
  return `Content log of ${name}`;
}
