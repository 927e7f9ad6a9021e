/**
 * Renders the additions of presetd to a request: variables, few-shot messages and policy. The
 * history shows each in a panel, the preview of a capture all in one.
 */

import type { ReactNode } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import type { PresetMessage } from '../../../../src/dialects/presets/extension/messages.ts';
import type { Policy } from '../../../../src/dialects/presets/extension/policy.ts';
import { Badge } from '../../components/badge.tsx';
import { Expandable } from '../../components/code-block.tsx';
import { capitalize, headOf } from '../../components/text.ts';
import { JsonDetails } from './config-panel.tsx';
import { isPlainJsonObject, type JsonObject } from './config-values.ts';
import { rulesOf, typeName, type Variable, valueAsText, variablesOf } from './describe-variable.ts';
import styles from './extension.module.css';
import { TemplateText } from './template-text.tsx';

interface ExtensionPart {
  readonly title: string;
  readonly value: unknown;
  readonly content: ReactNode;
}

/** The parts that a version has, in the order in which they are read. */
export function extensionParts(presetd: PresetVersionDetails['presetd']): readonly ExtensionPart[] {
  const { variables, messages, policy } = presetd ?? {};
  const parts: readonly ExtensionPart[] = [
    { title: 'Variables', value: variables, content: <VariableList variables={variablesOf(presetd)} /> },
    {
      title: 'Few-shot messages',
      value: messages,
      content: (
        // The server checks messages when it saves them.
        <MessageList messages={(messages ?? []) as PresetMessage[]} isTemplate={variables !== undefined} />
      ),
    },
    { title: 'Policy', value: policy, content: <PolicyList policy={policy ?? {}} /> },
  ];
  return parts.filter(({ value }) => value !== undefined);
}

function VariableList({ variables }: { readonly variables: readonly Variable[] }) {
  if (variables.length === 0)
    return <p className="muted">None declared. Double braces in the prompt are still template tags.</p>;
  return (
    <ul className={styles.variables}>
      {variables.map(({ name, schema, isRequired }) => (
        <li key={name} className={styles.variable}>
          <p className={styles.variableHead}>
            <code className={styles.name}>{name}</code>
            <span className="muted">{typeName(schema)}</span>
            {isRequired ? <Badge tone="accent">Required</Badge> : <DefaultValue value={schema.default} />}
          </p>
          {typeof schema.description === 'string' && (
            <p className={styles.description}>{schema.description}</p>
          )}
          <Rules rules={rulesOf(schema)} />
          {(schema.items ?? schema.properties) !== undefined && (
            <JsonDetails value={schema} summary="JSON Schema" label={`JSON Schema of ${name}`} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** Defaults can be whole documents. */
const defaultCharactersMax = 200;

function DefaultValue({ value }: { readonly value: unknown }) {
  const text = valueAsText(value);
  const shown = text.length > defaultCharactersMax ? `${text.slice(0, defaultCharactersMax)}…` : text;
  return (
    <span className="muted">
      default {text === '' ? 'empty' : <code className={styles.default}>{shown}</code>}
    </span>
  );
}

function Rules({ rules }: { readonly rules: readonly string[] }) {
  return rules.length > 0 && <p className="note">{capitalize(rules.join(', '))}</p>;
}

interface MessageListProps {
  readonly messages: readonly PresetMessage[];
  /** Whether the texts can contain variables. */
  readonly isTemplate: boolean;
}

function MessageList({ messages, isTemplate }: MessageListProps) {
  if (messages.length === 0) return <p className="muted">None.</p>;
  return (
    <Expandable label="Message texts">
      <ol className={styles.messages}>
        {messages.map(({ role, content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a version never change
          <li key={index} className={role === 'user' ? styles.user : styles.assistant}>
            <p className={styles.role}>{capitalize(role)}</p>
            {typeof content === 'string' ? (
              <Text text={content} isTemplate={isTemplate} />
            ) : (
              content.map((part, partIndex) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message never change
                <Part key={partIndex} part={part} isTemplate={isTemplate} />
              ))
            )}
          </li>
        ))}
      </ol>
    </Expandable>
  );
}

function Text({ text, isTemplate }: { readonly text: string; readonly isTemplate: boolean }) {
  const shown = headOf(text);
  return <p className={styles.text}>{isTemplate ? <TemplateText text={shown} /> : shown}</p>;
}

/** A text part as text; images and files as JSON, which names their source. */
function Part({ part, isTemplate }: { readonly part: JsonObject; readonly isTemplate: boolean }) {
  if (typeof part.text === 'string') return <Text text={part.text} isTemplate={isTemplate} />;
  const type = String(part.type);
  return <JsonDetails value={part} summary={type} label={type} />;
}

function PolicyList({ policy }: { readonly policy: Policy }) {
  const { system_prompt: mode = 'replace', locked = [], limits = {} } = policy;
  return (
    <dl className={styles.policy}>
      <div>
        <dt>System prompt</dt>
        <dd>
          <p>
            {modes[mode]} <code className="note">{mode}</code>
          </p>
        </dd>
      </div>
      {locked.length > 0 && (
        <div>
          <dt>Locked fields</dt>
          <dd>
            <p>Requests cannot set these fields.</p>
            <ul className={styles.chips}>
              {locked.map((field) => (
                <li key={field}>
                  <code>{field}</code>
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
      {isPlainJsonObject(limits) && Object.keys(limits).length > 0 && (
        <div>
          <dt>Limits</dt>
          <dd>
            <p>Larger values in a request are lowered.</p>
            <ul className={styles.chips}>
              {Object.entries(limits).map(([name, limit]) => (
                <li key={name}>
                  <code>
                    {name} ≤ {JSON.stringify(limit)}
                  </code>
                </li>
              ))}
            </ul>
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The effect of each mode on a system prompt in a request. */
const modes: Readonly<Record<NonNullable<Policy['system_prompt']>, string>> = {
  replace: 'A system prompt in the request replaces this one.',
  prepend: 'This one comes first, then the system prompt of the request.',
  append: 'The system prompt of the request comes first, then this one.',
  lock: 'Only this one is sent.',
};
