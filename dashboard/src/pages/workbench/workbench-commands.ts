import { type Command, useCommands } from '../../components/commands.ts';
import { useToast } from '../../components/toasts.tsx';

const group = 'Workbench';

/** Keys of the editors, which handle them themselves. */
const editorKeys: readonly Command[] = [
  { title: 'Search in the prompt', group, keys: 'Mod+F' },
  { title: 'Next problem in the request', group, keys: 'F8' },
];

/** What the panes offer. Their buttons are pressed, so a command can do no more than they can. */
export function useWorkbenchCommands(canChange: boolean): void {
  const showToast = useToast();
  const importFromClipboard = () =>
    navigator.clipboard
      .readText()
      .then(pasteOnPage, () =>
        showToast('The browser does not allow reading the clipboard. Paste the request on this page instead'),
      );
  useCommands([
    {
      title: 'Run',
      group,
      keys: 'Mod+Enter',
      keywords: 'try send call',
      run: () => document.querySelector<HTMLButtonElement>('[data-run]')?.click(),
    },
    { title: 'Compare with another version or model', group, run: () => pressButton('Compare') },
    canChange && {
      title: 'Import a request from the clipboard',
      group,
      keywords: 'paste curl json',
      run: () => void importFromClipboard(),
    },
    ...editorKeys,
  ]);
}

function pressButton(text: string): void {
  const buttons = document.querySelectorAll<HTMLButtonElement>('main button');
  [...buttons].find(({ textContent }) => textContent.trim() === text)?.click();
}

/** As if the user had pasted it outside of a field. */
function pasteOnPage(text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('[data-run]')?.dispatchEvent(event);
}
