import { isJsonObject } from '../../core/json/json-object.ts';
import { type Concept, dialectSpecific } from '../model/concepts.ts';

/**
 * A custom tool has free text as its input. For a dialect that has only functions, it is declared
 * as a function with one parameter, `input`. Clients must get calls back in their own terms, so
 * that this is for requests only: `ToolFormat.findCustomNames` tells which calls those are.
 */
export function customToolsToFunctions(concepts: readonly Concept[]): readonly Concept[] {
  return concepts.flatMap((concept): readonly Concept[] => {
    if (concept.kind === 'toolChoice' && concept.value.type === 'custom')
      return [{ ...concept, value: { ...concept.value, type: 'function' } }];
    if (concept.kind !== 'tool' || concept.value.type !== 'custom') return [concept];
    const { name, description, format } = concept.value.definition;
    const value = {
      type: 'function',
      name,
      description: typeof description === 'string' ? description : undefined,
      parameters,
      strict: undefined,
      schemaOrigin: 'openai',
      extras: {},
    } as const;
    const hasFormat = isJsonObject(format) && format.type !== 'text';
    return [{ ...concept, value }, ...(hasFormat ? [dialectSpecific(`${concept.path}.format`)] : [])];
  });
}

const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
