import { fieldNamesHeader } from '../dialects/field-names-header.ts';
import { type CallTrace, describePreset } from './call.ts';
import type { HeaderList } from './header-list.ts';

/**
 * The `x-presetd-*` response headers, which say what presetd did with a call. Headers without a
 * value are left out. Error responses carry them too.
 */
export function presetdHeaders(trace: CallTrace, overheadMs: number): HeaderList {
  const { upstream, overriddenFields, droppedFields, fallbacks } = trace;
  const headers = ['x-presetd-overhead-ms', overheadMs.toFixed(3)];
  const preset = describePreset(trace);
  if (preset !== undefined) headers.push('x-presetd-preset', preset);
  if (upstream !== undefined) headers.push('x-presetd-upstream', upstream);
  const overridden = fieldNamesHeader(overriddenFields);
  if (overridden !== undefined) headers.push('x-presetd-overridden-fields', overridden);
  const dropped = fieldNamesHeader(droppedFields);
  if (dropped !== undefined) headers.push('x-presetd-dropped-fields', dropped);
  if (fallbacks.length > 0) headers.push('x-presetd-fallbacks', fallbacks.join(', '));
  return headers;
}
