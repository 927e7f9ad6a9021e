import { Link } from 'wouter';
import type { Generation } from '../../../../src/api/generations.ts';
import { callErrors } from '../../../../src/core/ledger/call-error.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { presetHref, versionHref } from '../../components/preset-links.ts';
import { PersonName } from '../../features/organization/person-name.tsx';
import styles from './calls.module.css';

type Details = Generation['presetd'];

/** The status that the client got. A client that disconnects has seen none. */
export function StatusBadge({ status }: { readonly status: number }) {
  const tone: Tone = status < 400 ? 'neutral' : status === 499 ? 'warning' : 'danger';
  return <Badge tone={tone}>{status}</Badge>;
}

/** The status, and beside it why the call failed. */
export function CallStatus({ presetd }: { readonly presetd: Details }) {
  const { status, error_code: code, error_message: message } = presetd;
  return (
    <span className={styles.status}>
      <StatusBadge status={status} />
      {code !== null && (
        <span className="note" title={message ?? undefined}>
          {callErrors[code]}
        </span>
      )}
    </span>
  );
}

/** The key of a call: its owner may have many. Without a key, the person who signed in. */
export function CallerName({ presetd }: { readonly presetd: Details }) {
  const { key_id: id, key_name: name, key_label: label, user_email: email, user_id: userId } = presetd;
  const text = name ?? label ?? (id === null ? undefined : 'Deleted key');
  if (text === undefined) return <PersonName email={email ?? userId} />;
  return <span title={[text, label, email].filter(Boolean).join('\n')}>{text}</span>;
}

interface CalledPresetProps {
  readonly call: Generation;
  /** The slug, for links to other workspaces. */
  readonly workspace?: string | undefined;
}

/** The preset and version that a call used, and how the version was chosen. */
export function CalledPreset({ call: { presetd }, workspace }: CalledPresetProps) {
  const { preset, preset_version: version, requested_preset: requested } = presetd;
  if (preset === null) return <span className="muted">{requested ?? 'None'}</span>;
  // From a page of a workspace, an address that names one begins at the root.
  const root = workspace === undefined ? '' : '~';
  const location = { slug: preset, workspace };
  return (
    <span className={styles.preset}>
      <Link href={root + presetHref(location)} className={styles.slug} title={preset}>
        {preset}
      </Link>
      {version !== null && <Link href={root + versionHref(location, version)}>v{version}</Link>}
      <SelectionBadge presetd={presetd} />
    </span>
  );
}

/** How the version was chosen: green for the live version, violet for a label. */
function SelectionBadge({ presetd: { selection, label } }: { readonly presetd: Details }) {
  switch (selection) {
    case 'live':
      return (
        <span className={styles.usual}>
          <Badge tone="live">Live</Badge>
        </span>
      );
    case 'label':
      return <Badge tone="label">{label}</Badge>;
    case 'draft':
      return <Badge>Draft</Badge>;
    default:
      return null;
  }
}

/** For a search and for exports: "version 7, live". */
export function versionText({ preset_version: version, selection, label }: Details): string {
  const how = { live: 'live', label: `label ${label}`, draft: 'draft', version: '' };
  return [version === null ? '' : `version ${version}`, selection === null ? '' : how[selection]]
    .filter((part) => part !== '')
    .join(', ');
}

/** How the version was chosen, as a sentence without a full stop. */
export function selectionText({ selection, label }: Details): string {
  switch (selection) {
    case 'live':
      return 'It was the live version';
    case 'label':
      return `The label ${label} was on it`;
    case 'version':
      return 'The call named the version';
    case 'draft':
      return 'A draft that was not saved';
    default:
      return '';
  }
}
