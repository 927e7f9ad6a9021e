import { expect, test } from 'vitest';
import { attachmentsOf, attachmentsProblem, textOf, userMessage, withText } from './message.ts';

test('a message keeps images and files when its text is edited', () => {
  const message = userMessage('What is this?', [
    { name: 'a.png', url: 'data:image/png;base64,AA==' },
    { name: 'b.pdf', url: 'data:application/pdf;base64,AA==' },
  ]);
  expect(textOf(message)).toBe('What is this?');
  expect(attachmentsOf(message)).toEqual(['Image', 'b.pdf']);
  const edited = withText(message, 'And this?');
  expect(textOf(edited)).toBe('And this?');
  expect(attachmentsOf(edited)).toEqual(['Image', 'b.pdf']);
});

test.each([
  [[], 20, false],
  [[], 25, true],
  [[{ name: 'a.png', url: 'x'.repeat(20 * 1_024 * 1_024) }], 10, true],
])('attachments must fit into a request: %#', (attachments, megabytes, isTooLarge) => {
  const problem = attachmentsProblem(attachments, [{ size: megabytes * 1_024 * 1_024 }]);
  expect(problem !== undefined).toBe(isTooLarge);
});
