import { Link } from 'wouter';
import { usePresets } from '../../api/presets.ts';
import { useSession, useWorkspaceAccess } from '../../api/session.ts';
import { ButtonLink } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { highlightShell } from '../../components/code-highlight.ts';
import { Illustration } from '../../components/illustration.tsx';
import styles from './presets.module.css';

/** Shown in place of the list while a workspace has no presets, or only archived ones. */
export function FirstPreset() {
  const { secret, account, may } = useSession();
  const workspace = useWorkspaceAccess();
  // The list hides archived presets, so a workspace with only those looks empty.
  const archived =
    usePresets({ q: '', tag: '', status: 'archived', offset: 0, limit: 1 }).data?.total_count ?? 0;
  const { kind, label } = account.credential;
  const keyName = kind === 'management' ? 'PRESETD_MANAGEMENT_KEY' : 'PRESETD_API_KEY';
  const workspaceId = kind === 'management' && !workspace.is_default ? workspace.id : undefined;
  return (
    <div className={styles.first}>
      <div className="stack-3">
        <Illustration name="capture" />
        <h2>{archived === 0 ? 'Capture your first request' : 'Capture a request'}</h2>
        {archived > 0 && (
          <p>
            All presets of this workspace are{' '}
            <Link href="/presets?status=archived">archived ({archived})</Link>.
          </p>
        )}
        <p>
          Take a request that works, with its model, prompt and tools, and give it a name. Any OpenAI,
          Anthropic or OpenRouter client can then call <code>@preset/that-name</code>.
        </p>
        {may('write') ? (
          <p className={styles.ways}>
            <ButtonLink href="/new" variant="primary">
              Paste a request
            </ButtonLink>
            <ButtonLink href="/new#from-scratch">Write a prompt</ButtonLink>
          </p>
        ) : (
          <p className="muted">You can only read in this workspace. Editors can create presets.</p>
        )}
      </div>
      {may('write') && (
        <div className="stack-3">
          <h3>Or use a terminal</h3>
          {secret === undefined ? (
            <p>
              Set <code>{keyName}</code> to a key that can write, which you can create on{' '}
              <Link href="~/account">your account page</Link>:
            </p>
          ) : (
            <>
              <p>Copying the first command includes your key.</p>
              <CodeBlock
                label="export command"
                code={`export ${keyName}=${label}`}
                copyText={`export ${keyName}=${quoted(secret)}`}
                highlight={highlightShell}
                isWrapped
              />
            </>
          )}
          <CodeBlock
            label="capture command"
            code={captureCommand(keyName, workspaceId)}
            highlight={highlightShell}
          />
        </div>
      )}
    </div>
  );
}

/** A management key names the workspace, unless it is the default one. */
function captureCommand(keyName: string, workspaceId: string | undefined): string {
  const url = `${location.origin}/api/v1/presets/support-bot/chat/completions`;
  return `curl ${workspaceId === undefined ? url : `"${url}?workspace_id=${workspaceId}"`} \\
  -H "Authorization: Bearer $${keyName}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "openai/gpt-5",
    "temperature": 0.2,
    "messages": [
      {"role": "system", "content": "You support Acme customers. Be brief."},
      {"role": "user", "content": "Where is my parcel?"}
    ]
  }'`;
}

/** Quotes for a POSIX shell: a key chosen by the operator may contain special characters. */
function quoted(secret: string): string {
  return `'${secret.replaceAll("'", "'\\''")}'`;
}
