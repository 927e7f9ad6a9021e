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
  /** What else to say about a variable, by name. */
  readonly noteOf: (name: string) => string | undefined;
}

/** One field per variable of the preset. */
export function VariablesForm(props: VariablesFormProps) {
  const { variables, texts, onChange, problems, noteOf } = props;
  return (
    <fieldset className={styles.variables}>
      <legend className="strong">Variables</legend>
      {variables.map((variable) => (
        <VariableField
          key={variable.name}
          {...variable}
          text={texts.get(variable.name)}
          onChange={(text) => onChange(changed(texts, variable.name, text))}
          problem={problems.get(variable.name)}
          note={noteOf(variable.name)}
        />
      ))}
    </fieldset>
  );
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
