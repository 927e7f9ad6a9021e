import { type RefObject, useEffect, useRef } from 'react';

/** Between a response and the edge of the pane. */
const gapPixels = 12;

/**
 * Shows the beginning of the response when a run starts. Once the text that streams in does not
 * fit, it follows its end, until the user scrolls up; scrolling down again resumes.
 *
 * It moves at once and never animates, so that it needs no exception for reduced motion.
 */
export function useFollowedResults(isBusy: boolean): {
  /** The element that scrolls, and the columns in it. */
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly results: RefObject<HTMLDivElement | null>;
} {
  const scroller = useRef<HTMLDivElement>(null);
  const results = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const [pane, columns] = [scroller.current, results.current];
    if (!isBusy || pane === null || columns === null) return;
    pane.scrollTop = positionOf(pane, columns);
    let isFollowing = true;
    let last = pane.scrollTop;
    const follow = () => {
      // Never up: the user may have scrolled further.
      if (isFollowing) pane.scrollTop = Math.max(pane.scrollTop, positionOf(pane, columns));
    };
    const onScroll = () => {
      const isThere = pane.scrollTop >= Math.min(positionOf(pane, columns), endOf(pane)) - gapPixels;
      isFollowing = isThere || (isFollowing && pane.scrollTop >= last);
      last = pane.scrollTop;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(columns);
    pane.addEventListener('scroll', onScroll);
    return () => {
      observer.disconnect();
      pane.removeEventListener('scroll', onScroll);
      // The end of a run adds its figures below the text.
      follow();
    };
  }, [isBusy]);
  return { scroller, results };
}

/** Where the pane should be: at the start of the responses, or at their end if they do not fit. */
function positionOf(pane: Element, columns: Element): number {
  const origin = pane.getBoundingClientRect().top - pane.scrollTop;
  const responses = [...columns.querySelectorAll('section[aria-busy]')];
  if (responses.length === 0) return columns.getBoundingClientRect().top - origin - gapPixels;
  const boxes = responses.map((response) => response.getBoundingClientRect());
  const start = Math.min(...boxes.map(({ top }) => top)) - origin - gapPixels;
  const end = Math.max(...boxes.map(({ bottom }) => bottom)) - origin + gapPixels;
  return Math.max(start, end - pane.clientHeight);
}

function endOf(pane: Element): number {
  return pane.scrollHeight - pane.clientHeight;
}
