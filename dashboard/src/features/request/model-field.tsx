import { Autocomplete } from '@base-ui/react/autocomplete';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { ResponseOf } from '../../../../src/api/client.ts';
import { presetMarker } from '../../../../src/core/presets/preset-reference.ts';
import { useSession } from '../../api/session.ts';
import combobox from '../../components/combobox.module.css';
import fields from '../../components/fields.module.css';
import { Field } from '../../components/fields.tsx';
import { formatDollars, formatNumber } from '../../components/text.ts';

interface ModelFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly isLabelHidden?: boolean;
  readonly isReadOnly?: boolean;
  /** Empty for none. */
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (model: string | undefined) => void;
}

type Model = ResponseOf<'GET /models'>['data'][number];

/** More would not help to find one; typing does. */
const shownMax = 60;

/** A model, chosen from those of the upstreams or typed: upstreams may serve others too. */
export function ModelField(props: ModelFieldProps) {
  const { value, onChange, isReadOnly = false, placeholder = 'Search models', ...field } = props;
  const models = useModels();
  // Typing searches; leaving the field or choosing from the list changes the model.
  const [typed, setTyped] = useState<string>();
  const commit = (model: string) => {
    setTyped(undefined);
    if (model.trim() !== value) onChange(model.trim() === '' ? undefined : model.trim());
  };
  return (
    <Field {...field}>
      {({ id, describedBy }) => (
        <Autocomplete.Root
          items={models}
          value={typed ?? value}
          onValueChange={(text, { reason }) => (reason === 'item-press' ? commit(text) : setTyped(text))}
          itemToStringValue={({ id: model }) => model}
          filter={matches}
          limit={shownMax}
          openOnInputClick={!isReadOnly}
          readOnly={isReadOnly}
        >
          <Autocomplete.Input
            id={id}
            aria-describedby={describedBy}
            className={`${fields.control} ${fields.mono}`}
            placeholder={placeholder}
            spellCheck={false}
            onBlur={() => typed !== undefined && commit(typed)}
            onKeyDown={({ key, ctrlKey, metaKey }) => {
              const isModified = ctrlKey || metaKey;
              // Also before the keys that run or save the draft, which must have the model.
              if (typed !== undefined && (key === 'Enter' || (isModified && key === 's')))
                flushSync(() => commit(typed));
            }}
          />
          <Autocomplete.Portal>
            <Autocomplete.Positioner className={combobox.positioner} sideOffset={4}>
              <Autocomplete.Popup className={combobox.popup}>
                <Autocomplete.Empty className={combobox.empty}>
                  Not in the list. You can still use it.
                </Autocomplete.Empty>
                <Autocomplete.List>
                  {(model: Model) => (
                    <Autocomplete.Item key={model.id} value={model} className={combobox.item}>
                      <span className={combobox.name}>{model.id}</span>
                      <span className="note">{describeModel(model)}</span>
                    </Autocomplete.Item>
                  )}
                </Autocomplete.List>
              </Autocomplete.Popup>
            </Autocomplete.Positioner>
          </Autocomplete.Portal>
        </Autocomplete.Root>
      )}
    </Field>
  );
}

/** The models of the upstreams; presets cannot use other presets as models. */
function useModels(): readonly Model[] {
  const { api, workspaceId } = useSession();
  const { data } = useQuery({
    queryKey: ['models', workspaceId],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const query = workspaceId === undefined ? {} : { workspace_id: workspaceId };
      const { data: models } = (await api.call('GET /models', { query }, { signal })).content;
      return models.filter(({ id }) => !id.startsWith(presetMarker));
    },
  });
  return data ?? [];
}

/** Every word has to occur, in any order: "claude opus" and "opus claude" find the same. */
function matches({ id, name }: Model, query: string): boolean {
  const text = `${id} ${name}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Leaves out what the upstream does not report. */
function describeModel({ name, id, context_length: context, pricing, ...model }: Model): string {
  return [
    name !== id && name,
    context !== null && `${formatNumber(context)} tokens`,
    priceOf(pricing),
    ...capabilitiesOf(model),
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ');
}

/** Dollars per million tokens; upstreams report dollars per token. */
function priceOf({ prompt, completion }: Model['pricing']): string | undefined {
  const [input, output] = [prompt, completion].map((price) => Number(price) * 1_000_000);
  if (input === undefined || output === undefined || !(input >= 0) || !(output >= 0)) return undefined;
  if (input === 0 && output === 0) return undefined;
  return `${formatDollars(input)} in, ${formatDollars(output)} out per million tokens`;
}

/** From OpenRouter's lists, which other upstreams do not have. */
function capabilitiesOf(model: Readonly<Record<string, unknown>>): readonly string[] {
  const parameters = stringsIn(model.supported_parameters);
  const architecture = model.architecture as { readonly input_modalities?: unknown } | undefined;
  const inputs = stringsIn(architecture?.input_modalities);
  return [
    ...(parameters.includes('tools') ? ['tools'] : []),
    ...(parameters.includes('reasoning') ? ['reasoning'] : []),
    ...(parameters.includes('structured_outputs') ? ['structured output'] : []),
    ...(inputs.includes('image') ? ['images'] : []),
  ];
}

function stringsIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
