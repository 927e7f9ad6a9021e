import { ChevronDown, ChevronRight } from 'lucide-react';
import { type FocusEvent, Fragment, useState } from 'react';
import { SelectField, TextField } from '../../../components/fields.tsx';
import { capitalize } from '../../../components/text.ts';
import type { VariableTexts } from '../../../features/runs/run-state.ts';
import {
  rulesOf,
  typeName,
  type Variable,
  valueAsText,
} from '../../../features/version-content/describe-variable.ts';
import styles from './run.module.css';
import { choicesOf, givenText } from './variable-values.ts';

interface VariablesFormProps {
  readonly variables: readonly Variable[];
  readonly texts: VariableTexts;
  readonly onChange: (texts: VariableTexts) => void;
  /** By variable name. */
  readonly problems: ReadonlyMap<string, string>;
  /** A note on a variable, by name. */
  readonly noteOf: (name: string) => string | undefined;
  /** Whether variables with a value are fields, too. */
  readonly isExpanded: boolean;
  readonly onExpand: (isExpanded: boolean) => void;
}

/**
 * The variables of the preset: one line with their values, and a field for each that has none or a
 * wrong one. Expanded, all are fields.
 */
export function VariablesForm(props: VariablesFormProps) {
  const { variables, texts, onChange, problems, noteOf, isExpanded, onExpand } = props;
  const missing = variables.filter((variable) => isMissing(variable, texts) || problems.has(variable.name));
  const open = useOpenFields(missing.map(({ name }) => name));
  const isField = ({ name }: Variable) => isExpanded || open.names.includes(name);
  const fields = variables.filter(isField);
  return (
    <fieldset className={styles.variables} onFocus={open.onFocus} onBlur={open.onBlur}>
      <legend className="visually-hidden">Variables</legend>
      <button
        type="button"
        className={styles.variablesLine}
        aria-expanded={isExpanded}
        onClick={() => onExpand(!isExpanded)}
      >
        {isExpanded ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
        <span className="strong">Variables</span>
        <span className={styles.values}>
          {variables
            .filter((variable) => !isField(variable))
            .map((variable) => (
              <Fragment key={variable.name}>
                <span className="muted">{variable.name}</span> {shownValue(variable, texts)}{' '}
              </Fragment>
            ))}
        </span>
      </button>
      {fields.length > 0 && (
        <div className={styles.variableFields}>
          {fields.map((variable) => (
            <VariableField
              key={variable.name}
              {...variable}
              text={texts.get(variable.name)}
              onChange={(text) => onChange(changed(texts, variable.name, text))}
              problem={problems.get(variable.name)}
              note={noteOf(variable.name)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}

function isMissing({ name, schema, isRequired }: Variable, texts: VariableTexts): boolean {
  return isRequired && givenText(schema, texts.get(name)) === undefined;
}

/** The value that a call sends, on one line. */
function shownValue({ name, schema }: Variable, texts: VariableTexts): string {
  const text = givenText(schema, texts.get(name)) ?? defaultText(schema.default);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

/** The line cuts it off anyway. */
const shownMax = 60;

/**
 * The fields to show: those that are missing and, while the user is in one of them, those that were
 * missing before. Otherwise a field would disappear with its first character.
 */
function useOpenFields(missing: readonly string[]) {
  const [kept, setKept] = useState<readonly string[]>([]);
  const names = [...new Set([...kept, ...missing])];
  return {
    names,
    onFocus: () => setKept(names),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) afterPress(() => setKept([]));
    },
  };
}

/** Nothing may move while a mouse button is down: the click has to hit what it was aimed at. */
function afterPress(action: () => void): void {
  const isPressed = document.documentElement.matches(':active');
  if (isPressed) addEventListener('pointerup', () => setTimeout(action), { once: true });
  else action();
}

function changed(texts: VariableTexts, name: string, text: string | undefined): VariableTexts {
  const others = [...texts].filter(([other]) => other !== name);
  return new Map(text === undefined ? others : [...others, [name, text]]);
}

interface VariableFieldProps extends Variable {
  readonly text: string | undefined;
  /** Called with undefined to choose nothing, since some enums contain the empty string. */
  readonly onChange: (text: string | undefined) => void;
  readonly problem: string | undefined;
  readonly note: string | undefined;
}

/** A select for a fixed set of values, and a text field for all others. */
function VariableField({ name, schema, isRequired, text, onChange, problem, note }: VariableFieldProps) {
  const choices = choicesOf(schema);
  const shared = { label: name, isRequired, error: problem };
  const { description } = schema;
  if (choices !== undefined)
    return (
      <SelectField
        {...shared}
        value={indexOf(choices, givenText(schema, text))}
        options={[
          ['', isRequired ? 'Choose a value' : `Default: ${defaultText(schema.default)}`],
          ...choices.map((choice, index) => [String(index), choice === '' ? 'Empty' : choice] as const),
        ]}
        onChange={(index) => onChange(index === '' ? undefined : choices[Number(index)])}
        hint={sentencesOf(description, note)}
      />
    );
  const isJson = schema.type === 'array' || schema.type === 'object';
  return (
    <div className={isJson ? styles.wideVariable : undefined}>
      <TextField
        {...shared}
        {...(schema.type === 'string' && { lines: 1 })}
        {...(isJson && { lines: 3 })}
        isMono={schema.type !== 'string'}
        value={text ?? ''}
        onChange={onChange}
        placeholder={isRequired ? '' : `Default: ${defaultText(schema.default)}`}
        hint={hintOf(schema, note)}
      />
    </div>
  );
}

function indexOf(choices: readonly string[], text: string | undefined): string {
  return text === undefined ? '' : String(choices.indexOf(text));
}

function defaultText(value: unknown): string {
  return value === '' ? 'empty' : valueAsText(value);
}

/** The description, and what else the value has to be: "Stars in the shop. Integer, 1 to 5." */
function hintOf(schema: Variable['schema'], note: string | undefined): string | undefined {
  const { type, description } = schema;
  const rules = [...(type === 'string' ? [] : [typeName(schema)]), ...rulesOf(schema)].join(', ');
  return sentencesOf(description, capitalize(rules), note);
}

/** Undefined if there is nothing to say. */
function sentencesOf(...parts: readonly unknown[]): string | undefined {
  const sentences = parts
    .filter((text) => typeof text === 'string' && text !== '')
    .map((text) => (/[.!?]$/.test(String(text)) ? text : `${text}.`));
  return sentences.length === 0 ? undefined : sentences.join(' ');
}
