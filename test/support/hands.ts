import type { ElementHandle, Locator, Page } from 'playwright-core';

/** How a person operates a page. Tests that take one prove that each step works either way. */
export interface Hands {
  readonly name: 'mouse' | 'keyboard';
  /** Activates a button, link, tab, checkbox or option. */
  press(target: Locator): Promise<void>;
  /** Replaces the text of a field. */
  fill(field: Locator, text: string): Promise<void>;
  /** Chooses an item of the menu that the button opens. */
  choose(button: Locator, item: Locator): Promise<void>;
  /** Moves the focus into a field or an editor. */
  focus(field: Locator): Promise<void>;
}

/** Points and clicks; only text is typed. */
export function mouse(page: Page): Hands {
  const focus = (field: Locator) => field.click();
  return {
    name: 'mouse',
    press: (target) => target.click(),
    focus,
    async fill(field, text) {
      await focus(field);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    },
    async choose(button, item) {
      await button.click();
      await item.click();
    },
  };
}

/** Where a word of an editor is on screen, for pointing at it. */
export function findWord(editor: Locator, word: string): Promise<{ readonly x: number; readonly y: number }> {
  return evaluate(
    editor,
    `(element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const start = node.data.indexOf(${JSON.stringify(word)});
        if (start === -1) continue;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + ${word.length});
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
    }`,
  );
}

/** Reaches everything with Tab and the arrow keys, and never touches the pointer. */
export function keyboard(page: Page): Hands {
  const focus = (target: Locator) => tabTo(page, target);
  const press = async (target: Locator) => {
    await focus(target);
    await page.keyboard.press((await roleOf(target)) === 'checkbox' ? 'Space' : 'Enter');
  };
  return {
    name: 'keyboard',
    press,
    focus,
    async fill(field, text) {
      await focus(field);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    },
    async choose(button, item) {
      await press(button);
      await item.waitFor();
      await moveTo(page, item, 'ArrowDown', 60);
      await page.keyboard.press('Enter');
    },
  };
}

/** More stops than any page has. */
const stopsMax = 400;

/**
 * Presses Tab, or Shift+Tab if the target comes first, until the target has the focus. In a group
 * with one tab stop, such as tabs, the arrow keys move on.
 */
async function tabTo(page: Page, target: Locator): Promise<void> {
  // Found once: finding an element by its name again at each stop takes most of the time.
  let element = await target.elementHandle();
  for (let stops = 0; stops < stopsMax && element !== null; stops += 1) {
    const way = await wayTo(element);
    if (way === 'here') return;
    if (way === 'in this group') return moveTo(page, target, 'ArrowRight', 20);
    if (way === 'replaced') element = await target.elementHandle();
    else await page.keyboard.press(way === 'before' ? 'Shift+Tab' : 'Tab');
  }
  throw new Error(`No number of tabs reaches ${target}.`);
}

async function moveTo(page: Page, target: Locator, key: string, times: number): Promise<void> {
  for (let pressed = 0; pressed < times; pressed += 1) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${target}.`);
}

/** Where the element is, seen from the focused one; replaced, if the page has rendered it anew. */
function wayTo(element: ElementHandle): Promise<'here' | 'in this group' | 'before' | 'after' | 'replaced'> {
  return evaluate(
    element,
    // The focus may be inside a shadow root.
    `(element) => {
      if (!element.isConnected) return 'replaced';
      if (element.getRootNode().activeElement === element) return 'here';
      const { activeElement } = document;
      const group = element.closest('[role=tablist], [role=radiogroup], [role=toolbar]');
      if (group?.contains(activeElement)) return 'in this group';
      const host = element.getRootNode().host ?? element;
      const isBefore = activeElement.compareDocumentPosition(host) & Node.DOCUMENT_POSITION_PRECEDING;
      return activeElement !== document.body && isBefore ? 'before' : 'after';
    }`,
  );
}

/** An item of a list may only be its active descendant. */
function hasFocus(target: Locator): Promise<boolean> {
  return evaluate(
    target,
    `(element) => element === document.activeElement || (element.id !== '' &&
      document.activeElement?.getAttribute('aria-activedescendant') === element.id)`,
  );
}

function roleOf(target: Locator): Promise<string | null> {
  return evaluate(target, `(element) => element.getAttribute('role') ?? element.getAttribute('type')`);
}

interface Evaluable {
  evaluate<Result>(script: () => Result): Promise<Result>;
}

/** As text: the tests have no types of the browser. */
function evaluate<Result>(target: Evaluable, script: string): Promise<Result> {
  return target.evaluate(new Function('element', `return (${script})(element);`) as () => Result);
}
