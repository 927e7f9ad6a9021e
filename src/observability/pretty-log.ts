import { styleText } from 'node:util';
import { oneLine, printable } from '../core/text/printable.ts';

type Style = Parameters<typeof styleText>[0];

interface PrettyOptions {
  /** Whether several processes write to the same terminal. Then every line shows its process id. */
  readonly isShared: boolean;
  readonly paint?: (style: Style, text: string) => string;
}

interface LogEntry {
  readonly level?: number;
  readonly time?: number;
  readonly pid?: number;
  readonly hostname?: string;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

/**
 * Formats one JSON log line for people: time, level, message, the other fields, and an error's
 * stack below. Control characters from requests or databases are escaped, so they cannot control
 * the terminal.
 */
export function prettyLine(json: string, options: PrettyOptions): string {
  try {
    return format(JSON.parse(json), options);
  } catch {
    // Logging must never fail, whatever is logged.
    return printable(json);
  }
}

function format(entry: LogEntry, { isShared, paint = paintForStdout }: PrettyOptions): string {
  const { level = 0, time = 0, pid, hostname: _, err, ...rest } = entry;
  const { message, fields } = messageOf(rest, paint);
  const pairs = Object.entries(fields).map(([name, value]) => `${oneLine(name)}=${formatValue(value)}`);
  const parts = [
    paint('dim', timeOf(time)),
    ...(isShared ? [paint('dim', `[${pid}]`)] : []),
    levelOf(level, paint),
    message,
    ...(pairs.length === 0 ? [] : [` ${paint('dim', pairs.join(' '))}`]),
  ];
  return `${parts.join(' ')}\n${err === undefined ? '' : stackOf(err)}`;
}

/** Node.js honors NO_COLOR and FORCE_COLOR, and checks whether stdout is a terminal. */
const paintForStdout = (style: Style, text: string) => styleText(style, text, { stream: process.stdout });

type Paint = typeof paintForStdout;

/** Formats a request like a line of an access log. */
function messageOf({ msg = '', ...fields }: LogEntry, paint: Paint) {
  const { method, route, status, ms, ...others } = fields;
  if (msg !== 'request' || typeof status !== 'number') return { message: oneLine(msg), fields };
  const target = oneLine(`${method} ${route ?? '(unknown route)'}`);
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  return { message: `${target} ${paint(color, String(status))} ${ms} ms`, fields: others };
}

const levels: readonly (readonly [from: number, name: string, style: Style])[] = [
  [60, 'FATAL', 'magenta'],
  [50, 'ERROR', 'red'],
  [40, 'WARN ', 'yellow'],
  [30, 'INFO ', 'green'],
  [20, 'DEBUG', 'blue'],
  [0, 'TRACE', 'gray'],
];

function levelOf(level: number, paint: Paint): string {
  const [, name, style] = levels.find(([from]) => level >= from) ?? [0, String(level), 'gray' as const];
  return paint(style, name);
}

/** Local time with milliseconds. The JSON format has the full date. */
function timeOf(time: number): string {
  const date = new Date(time);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${hours}:${minutes}:${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function formatValue(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value);
  return oneLine(isPlain ? value : (JSON.stringify(value) ?? ''));
}

function stackOf({ message, stack, ...details }: NonNullable<LogEntry['err']>): string {
  const lines = printable(stack ?? message ?? '').split('\n');
  const extra = Object.entries(details).filter(([name]) => name !== 'type');
  return [...lines, ...extra.map(([name, value]) => `${oneLine(name)}=${formatValue(value)}`)]
    .map((line) => `    ${line}\n`)
    .join('');
}
