import { Ellipsis } from 'lucide-react';
import type { PresetVersionDetails } from '../../../../../src/api/versions.ts';
import { useSession } from '../../../api/session.ts';
import { copyText } from '../../../components/copy-button.tsx';
import { Menu } from '../../../components/menu.tsx';
import { comparePath, editPath, versionPath } from '../../../components/preset-links.ts';
import { useToast } from '../../../components/toasts.tsx';
import { usePresetActions } from '../../../features/preset-changes/use-preset-actions.ts';
import { versionToRequest } from '../../../features/request/version-to-request.ts';
import { usagePath } from '../../../features/usage/usage-filter.ts';
import { variablesOf } from '../../../features/version-content/describe-variable.ts';
import { exampleValues } from '../use/example-values.ts';
import { modelReference } from '../use/pins.ts';
import { snippetsFor } from '../use/snippets.ts';
import { useDuplicate } from '../use-duplicate.ts';
import { useUrlOf } from './copy-link.tsx';

interface VersionMenuProps {
  readonly version: number;
  /** Undefined while it is loading. */
  readonly details: PresetVersionDetails | undefined;
  readonly live: number;
  /** Completes the accessible name "Actions for …". */
  readonly what?: string;
}

/** Everything that can be done with a version. */
export function VersionMenu({ version, details, live, what = `version ${version}` }: VersionMenuProps) {
  const { slug, canChange, canRelease, openDialog } = usePresetActions();
  const showToast = useToast();
  const copy = async (text: string, copied: string) => {
    const isCopied = await copyText(text);
    showToast(isCopied ? `Copied ${copied}` : 'The browser blocked copying');
  };
  const urlOf = useUrlOf();
  const { may } = useSession();
  const duplicate = useDuplicate();
  return (
    <Menu
      label={`Actions for ${what}`}
      button={<Ellipsis aria-hidden="true" />}
      items={[
        canRelease &&
          version !== live && {
            text: 'Make live…',
            onClick: () => openDialog({ kind: 'make-live', version }),
          },
        canChange && { text: 'Add label…', onClick: () => openDialog({ kind: 'add-label', version }) },
        canChange && { text: 'Edit in workbench', href: editPath(slug, version) },
        version !== live && {
          text: 'Compare with live',
          href: comparePath(slug, { from: Math.min(version, live), to: Math.max(version, live) }),
        },
        version > 1 && {
          text: 'Compare with previous',
          href: comparePath(slug, { from: version - 1, to: version }),
        },
        { text: 'View usage', href: usagePath('usage', { preset: slug, version: String(version) }) },
        {
          text: 'Copy link',
          onClick: () => void copy(urlOf(versionPath(slug, version)), `the link to version ${version}`),
        },
        details && may('write') && { text: 'Duplicate as a new preset', onClick: () => duplicate(details) },
        details && {
          text: 'Copy call as curl',
          onClick: () => void copy(curlOf(slug, details), `a call to version ${version} as curl`),
        },
        details && {
          text: 'Copy request as JSON',
          onClick: () => void copy(versionToRequest(details), `version ${version} as a request`),
        },
      ]}
    />
  );
}

function curlOf(slug: string, { version, presetd }: PresetVersionDetails): string {
  const [curl] = snippetsFor({
    origin: location.origin,
    reference: modelReference(slug, String(version)),
    variables: exampleValues(variablesOf(presetd)),
  });
  return curl?.code ?? '';
}
