import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePresets } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Illustration } from '../../components/illustration.tsx';
import styles from './first-call.module.css';

/** Shown in place of usage and calls as long as there are none: how to make the first one. */
export function FirstCall({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  const { secret, account } = useSession();
  const { kind, label } = account.credential;
  const isOwnKey = kind === 'api' && secret !== undefined;
  const { data, isLoading } = usePresets({ q: '', tag: '', status: 'active', offset: 0, limit: 1 });
  // The command must not change while it is read.
  if (isLoading) return null;
  const slug = data?.data[0]?.slug;
  return (
    <div className={styles.first}>
      <Illustration name="list" />
      <h2>{title}</h2>
      <p>presetd records the cost, latency and preset version of every call.</p>
      {isOwnKey ? (
        <>
          <p>Make one in a terminal. Copying the first command includes your key:</p>
          <CodeBlock
            label="export command"
            code={`export PRESETD_API_KEY=${label}`}
            copyText={`export PRESETD_API_KEY='${secret.replaceAll("'", "'\\''")}'`}
            isWrapped
          />
        </>
      ) : (
        <p>
          Make one in a terminal. Set <code>PRESETD_API_KEY</code> to an API key, which you can create on{' '}
          <Link href="~/account">your account page</Link>:
        </p>
      )}
      <CodeBlock label="call command" code={callCommand(slug)} />
      {slug === undefined && (
        <p className="muted">
          With a <Link href="/presets">preset</Link>, the model is <code>@preset/its-name</code>.
        </p>
      )}
      {children}
    </div>
  );
}

function callCommand(slug: string | undefined): string {
  return `curl ${location.origin}/api/v1/chat/completions \\
  -H "Authorization: Bearer $PRESETD_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${slug === undefined ? 'openai/gpt-5-mini' : `@preset/${slug}`}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`;
}
