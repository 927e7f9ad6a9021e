// cspell:words tdur
import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds, which does not depend on what else the machine does. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Traces what the page does meanwhile. Returns the processor time of each task of its main thread
 * in milliseconds: on a busy machine the time on the clock says little about the page.
 */
export async function mainThreadTasks(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  const browser = page.context().browser() as Browser;
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(
    String(await browser.stopTracing()),
  );
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && threads.has(threadOf(event)));
  const times = [...Map.groupBy(tasks, threadOf).values()].map((events) =>
    events.map(({ tdur = 0 }) => tdur / 1_000),
  );
  // Other pages have a main thread of their own; the page that acts is the busiest.
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return times.toSorted((one, other) => sum(other) - sum(one))[0] ?? [];
}
