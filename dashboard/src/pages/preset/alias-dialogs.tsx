import { useState } from 'react';
import { isSlug, slugRule } from '../../../../src/core/preset-slug.ts';
import { isStatus } from '../../api/api-error.ts';
import { type PresetSnapshot, useAliases } from '../../api/presets.ts';
import { ConfirmDialog, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { LastCall } from '../../features/preset-changes/last-call.tsx';
import { addAlias, removeAlias } from '../../features/preset-changes/preset-action.ts';
import { usePresetChange } from './use-preset-change.tsx';

interface AliasDialogProps {
  /** The preset when the dialog was opened. */
  readonly snapshot: PresetSnapshot;
  readonly onClose: () => void;
}

/** Adds another name. Only the server knows whether another preset has it. */
export function AddAliasDialog({ snapshot, onClose }: AliasDialogProps) {
  const { slug } = snapshot.preset;
  const { data: aliases } = useAliases(slug, snapshot.etag);
  const { run, reset, error, ...change } = usePresetChange(onClose);
  const [alias, setAlias] = useState('');
  const names = [slug, ...(aliases?.data.map((existing) => existing.alias) ?? [])];
  const taken = isStatus(error, 409) ? error.message : undefined;
  const problem = alias === '' ? undefined : (aliasProblem(alias, names) ?? taken);
  return (
    <FormDialog
      title="Add alias"
      submitLabel="Add alias"
      canSubmit={alias !== '' && problem === undefined}
      onSubmit={() => run(addAlias(alias), snapshot)}
      onClose={onClose}
      change={{ ...change, error: taken === undefined ? error : null }}
    >
      <p>
        Another name for <span className="mono">{slug}</span>, such as the ID it had elsewhere. Calls can use
        either.
      </p>
      <TextField
        label="Alias"
        value={alias}
        // Pasted names often come with a space.
        onChange={(typed) => {
          setAlias(typed.trim());
          reset();
        }}
        error={problem}
        hint={
          <>
            Call it as <code>@preset/{alias === '' ? 'pmpt_68a4b1' : alias}</code>.
          </>
        }
        autoComplete="off"
        isMono
        focusOnMount
      />
    </FormDialog>
  );
}

function aliasProblem(alias: string, names: readonly string[]): string | undefined {
  if (!isSlug(alias)) return `The alias ${slugRule}.`;
  return names.includes(alias) ? 'The preset already has this name.' : undefined;
}

export function RemoveAliasDialog({
  snapshot,
  alias,
  onClose,
}: AliasDialogProps & { readonly alias: string }) {
  const { run, ...change } = usePresetChange(onClose);
  return (
    <ConfirmDialog
      title="Remove alias"
      submitLabel="Remove alias"
      onSubmit={() => run(removeAlias(alias), snapshot)}
      onClose={onClose}
      change={change}
    >
      <p>
        Calls to <code>@preset/{alias}</code> fail from now on. Calls to{' '}
        <code>@preset/{snapshot.preset.slug}</code> are not affected.
      </p>
      <LastCall slug={snapshot.preset.slug} />
    </ConfirmDialog>
  );
}
