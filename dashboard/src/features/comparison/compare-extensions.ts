import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import type { JsonObject } from '../../../../src/core/json/json-object.ts';
import type { PresetMessage } from '../../../../src/dialects/presets/extension/messages.ts';
import { capitalize } from '../../components/text.ts';
import { compareConfigs, type FieldComparison } from './compare-configs.ts';

/** One part of two extensions. Without changed fields and texts, it is the same in both. */
export interface PartComparison {
  readonly title: string;
  readonly fields: readonly FieldComparison[];
  /** Messages that differ, as texts: an inserted turn does not change the others. */
  readonly texts?: readonly [from: string, to: string] | undefined;
}

type Extension = PresetVersionDetails['presetd'];

/** Compares the variables, messages and policy that either version has. */
export function compareExtensions(from: Extension, to: Extension): readonly PartComparison[] {
  return parts.flatMap(([part, title]) => {
    const [before, after] = [from?.[part], to?.[part]];
    if (before === undefined && after === undefined) return [];
    if (part === 'messages') {
      const texts = [messagesText(from?.messages), messagesText(to?.messages)] as const;
      if (texts[0] !== texts[1]) return [{ title, fields: [], texts }];
    }
    // A part can be present and empty, which is not the same as absent.
    const isWhole = part === 'messages' || (isEmpty(before) && isEmpty(after));
    const fields = isWhole
      ? compareConfigs(whole(part, before), whole(part, after))
      : compareConfigs((before ?? {}) as JsonObject, (after ?? {}) as JsonObject);
    return [{ title, fields: fields.filter(({ kind }) => kind !== 'same') }];
  });
}

const parts = [
  ['variables', 'Variables'],
  ['messages', 'Few-shot messages'],
  ['policy', 'Policy'],
] as const;

function isEmpty(part: object | undefined): boolean {
  return Object.keys(part ?? {}).length === 0;
}

function whole(name: string, part: object | undefined): JsonObject {
  return part === undefined ? {} : { [name]: part };
}

function messagesText(messages: NonNullable<Extension>['messages'] = []): string {
  // The server checks messages when it saves them.
  return (messages as readonly PresetMessage[])
    .map(({ role, content }) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
      return `${capitalize(role)}:\n${text}`;
    })
    .join('\n\n');
}
