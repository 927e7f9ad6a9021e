/**
 * Times relative to now. They are not updated while they are on screen; data is refetched whenever
 * the user returns to the tab, which renders them anew.
 */

import { useId, useState } from 'react';
import styles from './time.module.css';

/** A relative time. The exact time shows on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTimes(at).join('\n')}>
      {relativeTime(Date.parse(at), Date.now())}
    </time>
  );
}

interface EventTimeProps {
  readonly at: string;
  /** Shows the time of day, such as below the heading of a day. */
  readonly isOfDay?: boolean;
}

/**
 * A relative time for event lists, where the exact time matters: it also shows on keyboard focus
 * and touch.
 */
export function EventTime({ at, isOfDay = false }: EventTimeProps) {
  const [isOpen, setIsOpen] = useState(false);
  const tooltipId = useId();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users open it with the button inside
    <span
      className={styles.anchor}
      onMouseEnter={() => setIsOpen(true)}
      onMouseLeave={() => setIsOpen(false)}
    >
      <button
        type="button"
        className={styles.time}
        aria-describedby={tooltipId}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onClick={() => setIsOpen(true)}
        onKeyDown={({ key }) => key === 'Escape' && setIsOpen(false)}
      >
        <time dateTime={at}>
          {isOfDay ? timeOfDay.format(new Date(at)) : relativeTime(Date.parse(at), Date.now())}
        </time>
      </button>
      <span role="tooltip" id={tooltipId} className={styles.tooltip} hidden={!isOpen}>
        {exactTimes(at).map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
    </span>
  );
}

/** The exact time in the user's time zone, and in UTC, which logs and the API use. */
export function exactTimes(at: string, timeZone?: string): readonly [local: string, utc: string] {
  const format = timeZone === undefined ? localFormat : exactFormat(timeZone);
  return [format.format(new Date(at)), `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`];
}

function exactFormat(timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  });
}

/** Created once: it takes longer than everything else in a row of a table. */
const localFormat = exactFormat();

const timeOfDay = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

const day: Intl.DateTimeFormatOptions = { weekday: 'long', month: 'long', day: 'numeric' };
const [dayFormat, dayOfYearFormat] = [
  new Intl.DateTimeFormat('en', day),
  new Intl.DateTimeFormat('en', { ...day, year: 'numeric' }),
];

/** The user's day of a time: "Today", "Yesterday", "Monday, November 16"; other years are named. */
export function dayOf(at: string, now: Date): string {
  const date = new Date(at);
  const text = date.toDateString();
  if (text === now.toDateString()) return 'Today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (text === yesterday.toDateString()) return 'Yesterday';
  return (date.getFullYear() === now.getFullYear() ? dayFormat : dayOfYearFormat).format(date);
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/**
 * "3 hours ago", "in 2 days"; a date if it is more than a month away. The future is rounded to the
 * nearest unit: a link that was just created for 7 days expires "in 7 days", not in 6.
 */
export function relativeTime(time: number, now: number): string {
  const distance = time - now;
  if (Math.abs(distance) < 60_000) return distance > 0 ? 'in a moment' : 'just now';
  const round = distance > 0 ? Math.round : Math.trunc;
  const minutes = round(distance / 60_000);
  const [unit, length] = units.find(([, ms]) => Math.abs(minutes * 60_000) >= ms) ?? ['minute', 60_000];
  const count = round(distance / length);
  if (unit !== 'day' || Math.abs(count) < 31) return relative.format(count, unit);
  return new Date(time).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' });
}

/** Midnight at the end of a local day; undefined if the text is not a date. */
export function endOfDay(date: string): Date | undefined {
  const start = startOfDay(date);
  return start && new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
}

/** Midnight at the start of a local day; undefined if the text is not a date. */
export function startOfDay(date: string): Date | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const start = new Date(year, month - 1, day);
  return start.getMonth() === month - 1 ? start : undefined;
}
