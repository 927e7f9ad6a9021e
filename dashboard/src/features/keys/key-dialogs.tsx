import { useState } from 'react';
import type { Key, KeyWithSecret } from '../../../../src/api/keys.ts';
import { definedFields } from '../../../../src/core/json/defined-fields.ts';
import type { Api } from '../../api/api.ts';
import { useOrganizationChange } from '../../api/organization.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { RadioField, SelectField } from '../../components/fields.tsx';
import { messageOf, Notice } from '../../components/notice.tsx';
import { OnceDialog } from '../../components/once-dialog.tsx';
import { useToast } from '../../components/toasts.tsx';
import { useAccess } from '../organization/access.tsx';
import { PersonPicker, type PickedPerson } from '../organization/person-picker.tsx';
import { accessChoicesFor, type KeyAccess, rejectedFields } from './key-access.ts';
import { KeyFields, useKeyInput } from './key-fields.tsx';

interface CreateKeyDialogProps {
  /** Whether the user creates a key for themselves and cannot choose another owner. */
  readonly isMine?: boolean;
  readonly onCreated: (created: KeyWithSecret) => void;
  readonly onClose: () => void;
}

/** Creates an API or management key. Only admins may choose another owner. */
export function CreateKeyDialog({ isMine = false, onCreated, onClose }: CreateKeyDialogProps) {
  const { account, workspace: current } = useSession();
  const { isAdmin } = useAccess();
  const { workspaces } = account;
  const [chosenAccess, setAccess] = useState<KeyAccess>('call');
  const [workspace, setWorkspace] = useState(current?.id ?? '');
  const [owner, setOwner] = useState<PickedPerson>(account);
  const request = useOrganizationChange<'POST /keys'>(onCreated);
  const { input, change, problems, read } = useKeyInput(undefined, request.reset);
  const choices = accessChoicesFor(workspaces.find(({ id }) => id === workspace)?.role);
  // Another workspace may not allow the choice.
  const isAllowed = choices.some(({ value, isDisabled }) => value === chosenAccess && !isDisabled);
  const access = isAllowed ? chosenAccess : 'call';
  const isApiKey = access === 'call' || access === 'read' || access === 'write';
  const rejected = rejectedFields(request.error, owner.email, input.presets);
  const shown = { ...rejected, ...problems };

  function submit() {
    const values = read(isApiKey);
    if (values === undefined) return;
    const body = {
      ...definedFields(values),
      name: values.name,
      ...(isApiKey ? { kind: 'api' as const, scope: access } : { kind: access }),
      ...(isApiKey && workspace !== '' && { workspace_id: workspace }),
      // The signed-in user is the default.
      ...(owner.id !== account.id && { creator_user_id: owner.id }),
    };
    request.mutate((api) => api.call('POST /keys', { body }));
  }

  return (
    <FormDialog
      title="New key"
      submitLabel="Create key"
      onSubmit={submit}
      onClose={onClose}
      change={{ ...request, error: rejected === undefined ? request.error : null }}
    >
      <KeyFields
        input={input}
        onChange={change}
        problems={shown}
        workspaceId={isApiKey ? workspace : undefined}
      >
        <RadioField
          label="Access"
          value={access}
          onChange={setAccess}
          choices={choices}
          error={shown.access}
        />
        {isApiKey && workspaces.length > 1 && (
          <SelectField
            label="Workspace"
            value={workspace}
            options={workspaces.map(({ id, name: text }) => [id, text] as const)}
            onChange={(id) => {
              setWorkspace(id);
              // They belong to the other workspace.
              change({ presets: [] });
            }}
          />
        )}
        {isAdmin && !isMine && (
          <PersonPicker
            label="Owner"
            value={owner}
            onChange={(person) => {
              setOwner(person ?? account);
              request.reset();
            }}
            error={shown.owner}
            hint="The key never has more access than its owner."
          />
        )}
      </KeyFields>
    </FormDialog>
  );
}

interface KeyDialogProps {
  readonly apiKey: Key;
  readonly onClose: () => void;
}

/** Changes what people can enter of a key. Sends only what changed. */
export function EditKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const showToast = useToast();
  const request = useOrganizationChange<'PATCH /keys/:hash'>(({ data }) => {
    showToast(`Updated ${data.name}`);
    onClose();
  });
  const isApiKey = apiKey.kind === 'api';
  const { input, change, problems, read } = useKeyInput(apiKey, request.reset);
  const rejected = rejectedFields(request.error, apiKey.creator_email, input.presets);
  const submit = () => {
    const values = read(isApiKey);
    if (values === undefined) return;
    const body = differences(apiKey, definedFields(values));
    if (Object.keys(body).length === 0) return onClose();
    request.mutate((api) => api.call('PATCH /keys/:hash', { params: { hash: apiKey.hash }, body }));
  };
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      change={{ ...request, error: rejected === undefined ? request.error : null }}
    >
      <KeyFields
        input={input}
        onChange={change}
        problems={{ ...rejected, ...problems }}
        workspaceId={isApiKey ? apiKey.workspace_id : undefined}
        apiKey={apiKey}
      />
    </FormDialog>
  );
}

/** The values that the key does not have already. */
function differences<Values extends Partial<Key>>(apiKey: Key, values: Values): Partial<Values> {
  const isNew = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(apiKey[name as keyof Key]);
  return Object.fromEntries(Object.entries(values).filter(isNew)) as Partial<Values>;
}

interface RotateKeyDialogProps extends KeyDialogProps {
  readonly onRotated: (rotated: KeyWithSecret) => void;
}

/** Grace periods in seconds. */
const gracePeriods = [
  ['0', 'Immediately'],
  ['3600', 'In 1 hour'],
  ['86400', 'In 1 day'],
  ['604800', 'In 7 days'],
  ['2592000', 'In 30 days'],
] as const;

/** Replaces the secret of a key, with a grace period for the old one. */
export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const { account, replaceSecret } = useSession();
  const [grace, setGrace] = useState<(typeof gracePeriods)[number][0]>('3600');
  // `hash` identifies a key in the API and does not change with its secret.
  const isCurrent = apiKey.hash === account.credential.id;
  const change = useOrganizationChange<'POST /keys/:hash/rotate'>((rotated) => {
    // Switch first: with the old secret, this tab could be signed out before the new one is shown.
    if (isCurrent) replaceSecret(rotated.key);
    onRotated(rotated);
  });
  const submit = () => {
    const body = { grace_period_seconds: Number(grace) };
    change.mutate((api) => api.call('POST /keys/:hash/rotate', { params: { hash: apiKey.hash }, body }));
  };
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      submitLabel="Rotate key"
      onSubmit={submit}
      onClose={onClose}
      change={change}
    >
      <p>
        Rotating gives the key a new secret. The old secret keeps working for a while, so that you can update
        your apps.
      </p>
      <SelectField
        label="Old secret expires"
        value={grace}
        options={gracePeriods}
        onChange={setGrace}
        hint={
          grace === '0'
            ? 'Choose this if the secret leaked. Apps that use it stop working now.'
            : 'Until then, both secrets work.'
        }
      />
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          This tab switches to the new secret. Other tabs must sign in again once the old one expires.
        </Notice>
      )}
    </FormDialog>
  );
}

interface RevokeKeyDialogProps extends KeyDialogProps {
  readonly action: 'disable' | 'delete';
}

/** Confirms disabling or deleting a key. Revoking the signed-in key ends the session. */
export function RevokeKeyDialog({ apiKey, action, onClose }: RevokeKeyDialogProps) {
  const { account, signOut } = useSession();
  const showToast = useToast();
  const enable = useEnableKey();
  const isCurrent = apiKey.hash === account.credential.id;
  const isDeleting = action === 'delete';
  const change = useOrganizationChange(() => {
    // The next request would return 401 anyway; signing out avoids the error message.
    if (isCurrent) return void signOut();
    if (isDeleting) showToast(`Deleted ${apiKey.name}`);
    else showToast(`Disabled ${apiKey.name}`, () => enable(apiKey));
    onClose();
  });
  const params = { hash: apiKey.hash };
  const revoke = (api: Api) =>
    isDeleting
      ? api.call('DELETE /keys/:hash', { params })
      : api.call('PATCH /keys/:hash', { params, body: { disabled: true } });
  return (
    <ConfirmDialog
      title={`${isDeleting ? 'Delete' : 'Disable'} ${apiKey.name}`}
      submitLabel={isDeleting ? 'Delete key' : 'Disable key'}
      onSubmit={() => change.mutate(revoke)}
      onClose={onClose}
      change={change}
    >
      <p>
        Apps that use <span className="mono">{apiKey.label}</span> stop working immediately.{' '}
        {isDeleting
          ? 'A deleted key cannot be restored. To stop it temporarily, disable it instead.'
          : 'You can enable it again.'}
      </p>
      {isCurrent && (
        <Notice kind="warning" title="You are signed in with this key">
          Your session ends.{!isDeleting && ' You need another management key to enable it again.'}
        </Notice>
      )}
    </ConfirmDialog>
  );
}

/** Enables a disabled key, without a dialog. The server refuses if its owner has left. */
export function useEnableKey(): (key: Key) => void {
  const showToast = useToast();
  const { mutate } = useOrganizationChange();
  return ({ hash, name }) =>
    mutate((api) => api.call('PATCH /keys/:hash', { params: { hash }, body: { disabled: false } }), {
      onSuccess: () => showToast(`Enabled ${name}`),
      onError: (error) => showToast(`Could not enable ${name}: ${messageOf(error)}`),
    });
}

interface SecretDialogProps {
  readonly keyWithSecret: KeyWithSecret;
  readonly onClose: () => void;
}

/** Shows a new secret, once. */
export function SecretDialog({ keyWithSecret: { data, key: secret }, onClose }: SecretDialogProps) {
  const { secret: ownSecret } = useSession();
  return (
    <OnceDialog
      title={`Secret for ${data.name}`}
      what="secret"
      text={secret}
      ifLost="If you lose it, rotate the key."
      onClose={onClose}
    >
      <p>
        Copy it now and store it safely. <strong>It is shown only once</strong>: presetd stores only a hash.
      </p>
      {ownSecret === secret && <Notice>This tab now uses the new secret.</Notice>}
    </OnceDialog>
  );
}
