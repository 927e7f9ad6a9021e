import { Tabs } from '@base-ui/react/tabs';
import { Notice } from '../../../components/notice.tsx';
import { useStore } from '../../../components/store.ts';
import { TabList } from '../../../components/tabs.tsx';
import type { RunView } from '../../../features/runs/run-state.ts';
import styles from '../workbench.module.css';
import { useWorkbench } from '../workbench.ts';
import { AllCases } from './cases/all-cases.tsx';
import { useColumnInUrl } from './column-in-url.ts';
import { ConversationView } from './conversation-view.tsx';
import { RunClientProvider } from './run-client.tsx';
import { useRunSession } from './run-session.ts';

/** A conversation with the draft or other versions, through the gateway, as apps have it. */
export function RunPane() {
  const { preset: snapshot } = useWorkbench();
  if (snapshot !== undefined && snapshot.preset.status !== 'active')
    return <Notice title="Only active presets can be called">Enable or restore the preset to run it.</Notice>;
  return (
    <RunClientProvider>
      {snapshot === undefined ? <OnlyConversation /> : <RunTabs latest={snapshot.latest} />}
    </RunClientProvider>
  );
}

/** A new preset has no test cases yet. */
function OnlyConversation() {
  const session = useRunSession();
  return (
    <div className={styles.inner}>
      <div className={styles.conversation}>
        <ConversationView session={session} />
      </div>
    </div>
  );
}

/** One conversation, or all test cases at once, with the same columns. */
function RunTabs({ latest }: { readonly latest: number }) {
  const session = useRunSession();
  const view = useStore(session.state, (state) => state.view ?? 'one');
  useColumnInUrl(session, latest);
  return (
    <Tabs.Root
      value={view}
      onValueChange={(next: RunView) => session.change({ view: next })}
      className={styles.inner}
    >
      <TabList
        label="Run"
        tabs={[
          ['one', 'Conversation'],
          ['all', 'All cases'],
        ]}
      />
      <Tabs.Panel value="one" className={styles.conversation}>
        <ConversationView session={session} />
      </Tabs.Panel>
      <Tabs.Panel value="all" className={styles.innerPanel}>
        <AllCases session={session} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
