import type { PresetEvent } from '../../../../src/api/events.ts';
import type { EventFields } from './changed-versions.ts';
import { type SentencePart, shown } from './event-parts.ts';
import { presetEventTexts } from './preset-event-texts.ts';

/** An event as a sentence: "owner@localhost made version 3 live (was 1)". */
export function describeEvent(
  event: EventFields & Pick<PresetEvent, 'actor_email'>,
): readonly SentencePart[] {
  const { actor_email } = event;
  return [actor_email === null ? 'Someone' : { person: actor_email }, ' ', ...describeChange(event)];
}

/** The sentence without the person: "made version 3 live (was 1)". */
export function describeChange(event: EventFields): readonly SentencePart[] {
  const { kind, before, after } = event;
  const texts = presetEventTexts[kind as PresetEvent['kind']];
  const predicate = texts === undefined ? describeUnknown(event) : texts.sentence(after ?? {}, before ?? {});
  return typeof predicate === 'string' ? [predicate] : predicate;
}

/** As text, with people by their address. */
export function textOf(parts: readonly SentencePart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'person' in part ? part.person : part.text;
    })
    .join('');
}

/** A newer server may send kinds that this page does not know. */
function describeUnknown({ kind, before, after }: EventFields): string {
  const names = [...new Set([before, after].flatMap((side) => Object.keys(side ?? {})))];
  const changes = names.map((name) => `${words(name)} ${shown(before?.[name])} → ${shown(after?.[name])}`);
  return `made a change (${words(kind.replace(/^preset\./, ''))}): ${changes.join(', ')}`;
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}
