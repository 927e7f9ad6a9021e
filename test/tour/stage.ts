import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';

/**
 * Makes a page show what its visitor does: a pointer that moves to what it clicks, and a caption
 * for each scene. Both are in the top layer, above dialogs.
 */
export interface Stage {
  readonly page: Page;
  caption(text: string): Promise<void>;
  pointAt(target: Locator): Promise<void>;
  click(target: Locator): Promise<void>;
  /** Selects a word of a text, which may be in an editor. */
  selectWord(word: string): Promise<void>;
  drag(target: Locator, byX: number): Promise<void>;
  type(text: string): Promise<void>;
  /** Lets the viewer read. */
  hold(ms: number): Promise<void>;
}

const keyMs = 28;
const pointerSteps = 14;
const pointerStepMs = 22;

export async function openStage(page: Page): Promise<Stage> {
  let position = { x: 640, y: 300 };
  const draw = (call: string) =>
    page.evaluate(`${overlaySource}; presetdTour.${call}`).catch(() => undefined);

  async function moveTo(end: { readonly x: number; readonly y: number }): Promise<void> {
    const start = position;
    for (let step = 1; step <= pointerSteps; step += 1) {
      const part = 1 - (1 - step / pointerSteps) ** 3;
      position = { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
      await page.mouse.move(position.x, position.y);
      await draw(`point(${position.x}, ${position.y})`);
      await delay(pointerStepMs);
    }
  }

  async function pointAt(target: Locator): Promise<void> {
    await target.waitFor();
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error('There is nothing to point at.');
    await moveTo({ x: box.x + Math.min(box.width / 2, 160), y: box.y + box.height / 2 });
  }

  const press = async (target: Locator) => {
    await pointAt(target);
    await draw('press(true)');
    await delay(120);
    await page.mouse.click(position.x, position.y, { delay: 20 });
    await draw('press(false)');
  };

  return {
    page,
    pointAt,
    async caption(text) {
      await draw(`caption(${JSON.stringify(text)})`);
      await draw(`point(${position.x}, ${position.y})`);
      await delay(500);
    },
    click: press,
    async selectWord(word) {
      await moveTo(await placeOf(page, word));
      await page.mouse.dblclick(position.x, position.y);
    },
    async drag(target, byX) {
      await pointAt(target);
      await page.mouse.down();
      await moveTo({ x: position.x + byX, y: position.y });
      await page.mouse.up();
    },
    async type(text) {
      await page.keyboard.type(text, { delay: keyMs });
    },
    hold: (ms) => delay(ms),
  };
}

/** Where a word of an editor is, once the editor has stopped scrolling. */
async function placeOf(page: Page, word: string): Promise<{ readonly x: number; readonly y: number }> {
  let last: { readonly x: number; readonly y: number } | undefined;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await delay(200);
    const place = await page.evaluate<typeof last>(findWordSource(word));
    if (place !== undefined && place.y === last?.y) return place;
    last = place;
  }
  throw new Error(`There is no "${word}" on the page.`);
}

/** Editors are in shadow trees, which no locator of a word reaches into. */
function findWordSource(word: string): string {
  return `(() => {
    const find = (root) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const inside = node.shadowRoot ? find(node.shadowRoot) : undefined;
        if (inside !== undefined) return inside;
        const start = node.nodeType === Node.TEXT_NODE && node.parentElement?.closest('.cm-content') ? node.data.indexOf(${JSON.stringify(word)}) : -1;
        if (start === -1) continue;
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + ${word.length});
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
    };
    return find(document.body);
  })()`;
}

/**
 * Runs in the page, again before each use: a page load removes it. Showing the popover again lifts
 * it above dialogs that were opened since.
 */
const overlaySource = `globalThis.presetdTour ??= (() => {
  const host = document.createElement('div');
  host.popover = 'manual';
  host.setAttribute('aria-hidden', 'true');
  host.style.cssText = 'position:fixed;inset:0;width:100vw;height:100vh;margin:0;padding:0;border:0;background:none;pointer-events:none;overflow:hidden';
  const pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  pointer.setAttribute('viewBox', '0 0 24 24');
  pointer.style.cssText = 'position:absolute;left:0;top:0;width:26px;height:26px';
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', 'M5 2l14 11.5-6.4.9 3.7 7.2-2.9 1.4-3.6-7.3L5 20z');
  path.setAttribute('fill', '#111827');
  path.setAttribute('stroke', '#ffffff');
  path.setAttribute('stroke-width', '1.6');
  pointer.append(path);
  const caption = document.createElement('div');
  caption.style.cssText = 'position:absolute;left:50%;bottom:22px;transform:translateX(-50%);padding:10px 20px;border-radius:999px;background:#111827;color:#ffffff;font:600 18px/1.4 Inter Variable,Inter,system-ui,sans-serif;white-space:nowrap;box-shadow:0 6px 24px rgb(0 0 0/.28)';
  caption.style.display = 'none';
  host.append(caption, pointer);
  document.body.append(host);
  let dialogs = -1;
  const lift = () => {
    const open = document.querySelectorAll('dialog[open],[popover]:popover-open,[role=dialog],[role=menu],[role=listbox]').length;
    if (open === dialogs && host.matches(':popover-open')) return;
    dialogs = open;
    if (host.matches(':popover-open')) host.hidePopover();
    host.showPopover();
  };
  lift();
  return {
    point(x, y) {
      lift();
      pointer.style.transform = 'translate(' + Math.round(x - 4) + 'px,' + Math.round(y - 2) + 'px)';
    },
    press(isDown) {
      lift();
      path.setAttribute('fill', isDown ? '#2563eb' : '#111827');
    },
    caption(text) {
      lift();
      caption.textContent = text;
      caption.style.display = text === '' ? 'none' : 'block';
    },
  };
})()`;
