import { Link } from 'wouter';
import { usePresets } from '../api/presets.ts';
import { ButtonLink } from '../parts/button.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { useSession } from '../session/session.tsx';
import styles from './first-preset.module.css';

/** The page of a workspace that nobody has used yet. */
export function FirstPreset() {
  const { secret, key, isManagement, canWrite, workspaceId } = useSession();
  const archived = usePresets({ q: '', status: 'archived', offset: 0, limit: 1 }).data?.total_count ?? 0;
  const keyName = isManagement ? 'PRESETD_MANAGEMENT_KEY' : 'PRESETD_API_KEY';
  return (
    <div className={styles.first}>
      <h2>{archived === 0 ? 'Capture your first request' : 'Capture a request'}</h2>
      {archived > 0 && (
        <p>
          All presets of this workspace are <Link href="/?status=archived">archived ({archived})</Link>.
        </p>
      )}
      <p>
        Take a request that works, with its model, prompt and tools, and give it a name. From then on any
        OpenAI, Anthropic or OpenRouter client calls <code>@preset/that-name</code>.
      </p>
      {canWrite && (
        <p>
          <ButtonLink href="/new" variant="primary">
            Paste a request
          </ButtonLink>
        </p>
      )}
      <p>Or from a terminal. Both lines are ready to copy, the first with your key:</p>
      <CodeBlock
        label="the line that sets the key"
        code={`export ${keyName}=${key.label}`}
        copied={`export ${keyName}=${quoted(secret)}`}
        isWrapped
      />
      <CodeBlock label="the line that captures" code={captureCommand(keyName, workspaceId)} />
    </div>
  );
}

function captureCommand(keyName: string, workspaceId: string | undefined): string {
  const url = `${location.origin}/api/v1/presets/support-bot/chat/completions`;
  return `curl ${workspaceId === undefined ? url : `"${url}?workspace_id=${workspaceId}"`} \\
  -H "Authorization: Bearer $${keyName}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "openai/gpt-5",
    "temperature": 0.2,
    "messages": [
      {"role": "system", "content": "You answer for Acme. Be brief and kind."},
      {"role": "user", "content": "Where is my parcel?"}
    ]
  }'`;
}

/** For a shell, which takes some characters of a key that somebody chose for its own. */
function quoted(secret: string): string {
  return `'${secret.replaceAll("'", "'\\''")}'`;
}
