import { type Command, useCommands } from '../../components/commands.ts';
import { useToast } from '../../components/toasts.tsx';

const group = 'Workbench';

/** Of the part that runs something; each says how. */
export const runCommand = { title: 'Run', group, keys: 'Mod+Enter', keywords: 'try send call' } as const;

/** Keys of the editors, which handle them themselves. */
const editorKeys: readonly Command[] = [
  { title: 'Search in the prompt', group, keys: 'Mod+F' },
  { title: 'Next problem in the request', group, keys: 'F8' },
];

/** The commands of the page as a whole. The panes offer their own. */
export function useWorkbenchCommands(canChange: boolean): void {
  const showToast = useToast();
  const importFromClipboard = () =>
    navigator.clipboard.readText().then(
      (text) => pasteOnPage(text) || showToast('The clipboard has no request'),
      () =>
        showToast('The browser does not allow reading the clipboard. Paste the request on this page instead'),
    );
  useCommands([
    canChange && {
      title: 'Import a request from the clipboard',
      group,
      keywords: 'paste curl json',
      run: () => void importFromClipboard(),
    },
    ...editorKeys,
  ]);
}

/** As if the user had pasted it outside of a field. Returns whether it was a request. */
function pasteOnPage(text: string): boolean {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('[data-import]')?.dispatchEvent(event);
  return event.defaultPrevented;
}
