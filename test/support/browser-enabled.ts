/** Whether there is to be a browser: yes, unless PRESETD_TEST_BROWSER is none. */
export const browserWanted = readWanted(process.env.PRESETD_TEST_BROWSER ?? '');

function readWanted(text: string): boolean {
  if (text === '' || text === 'none') return text === '';
  throw new Error(`PRESETD_TEST_BROWSER must be none or not set, and is "${text}"`);
}
