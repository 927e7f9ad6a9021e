/** Whether browser tests run: yes, unless PRESETD_TEST_BROWSER is `none`. */
export const isBrowserEnabled = parseSetting(process.env.PRESETD_TEST_BROWSER ?? '');

function parseSetting(text: string): boolean {
  if (text === '' || text === 'none') return text === '';
  throw new Error(`PRESETD_TEST_BROWSER must be "none" or unset, not "${text}"`);
}
