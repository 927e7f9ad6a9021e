import type { Issue } from '../../../core/errors.ts';
import { asList } from '../../../core/json/loose-json.ts';
import type { CapturedPreset, Dialect } from '../../../core/presets/preset.ts';
import { dialectOf } from '../../dialects.ts';
import { checkPolicy } from './check-policy.ts';
import { findDeclarationIssues, validDeclarations } from './declarations.ts';
import { checkMessages, type PresetMessage } from './messages.ts';
import { findPlaceholders } from './placeholders.ts';
import type { Policy } from './policy.ts';
import { compileTemplate } from './template.ts';
import { findTemplateIssues, findUnusedVariables, type Shapes } from './template-names.ts';
import { findBlockText, mapDescriptions, parseMessageContent, toolFields } from './template-texts.ts';
import type { Declarations } from './variable-schema.ts';

/** The parts of a capture that the `presetd` object is about. */
type CheckedPreset = Pick<CapturedPreset, 'extension' | 'config' | 'systemPrompt'>;

/** The parts of a valid `presetd` object. */
export interface ExtensionParts {
  readonly variables?: Declarations;
  readonly messages?: readonly PresetMessage[];
  readonly policy?: Policy;
}

/**
 * Finds what the schema cannot express about the `presetd` object of a capture, all problems
 * together. The paths start at the request; `promptPath` is where it has the system prompt.
 */
export function findExtensionIssues(
  preset: CheckedPreset,
  dialect: Dialect,
  promptPath?: string,
): readonly Issue[] {
  if (preset.extension === null) return [];
  const { variables, messages = [], policy = {} } = preset.extension as ExtensionParts;
  const issues = [...checkMessages(messages, dialect), ...checkPolicy(policy, preset.config, dialect)];
  if (variables === undefined) return issues;
  const declarationIssues = findDeclarationIssues(variables, variablesPath);
  // A variable whose declaration is not valid can be anything.
  const shapes: Shapes = {
    ...Object.fromEntries(Object.keys(variables).map((name) => [name, undefined])),
    ...validDeclarations(variables, declarationIssues, variablesPath),
  };
  const texts = textsOf(preset, dialect, promptPath);
  return [
    ...declarationIssues,
    ...issues,
    ...texts.flatMap(({ text, path }) => findTemplateIssues(text, shapes, path)),
  ];
}

const variablesPath = '/presetd/variables';

/**
 * Warns about declared variables that no text uses, and about names in braces without any declared
 * variable. Expects a capture without issues.
 */
export function findExtensionWarnings(preset: CheckedPreset, dialect: Dialect): readonly Issue[] {
  const { variables } = (preset.extension ?? {}) as ExtensionParts;
  if (variables === undefined) return findLiteralBraces(preset, dialect);
  const templates = textsOf(preset, dialect).map(({ text }) => compileTemplate(text));
  return findUnusedVariables(templates, variables).map((name) => ({
    path: `${variablesPath}/${name}`,
    message: 'is declared, but no text uses it',
  }));
}

function findLiteralBraces(preset: CheckedPreset, dialect: Dialect): readonly Issue[] {
  return textsOf(preset, dialect).flatMap(({ path, text }) => {
    const [name] = findPlaceholders(text);
    return name === undefined ? [] : [{ path, message: `has {{${name}}}${literalBraces}` }];
  });
}

const literalBraces = ', which calls send as it is, because presetd.variables declares nothing';

/** Whether a warning says that calls send braces as they are. */
export function isAboutLiteralBraces({ message }: Issue): boolean {
  return message.endsWith(literalBraces);
}

interface Text {
  readonly path: string;
  readonly text: string;
}

/** All texts in which variables can be used. */
function textsOf(
  { systemPrompt, config, extension }: CheckedPreset,
  dialect: Dialect,
  promptPath = defaultPromptPath(dialect),
): readonly Text[] {
  const { messages = [] } = (extension ?? {}) as ExtensionParts;
  return [
    ...(systemPrompt === null ? [] : [{ path: promptPath, text: systemPrompt }]),
    ...messages.flatMap(({ content }, index) =>
      contentTexts(content, dialect, `/presetd/messages/${index}/content`),
    ),
    ...toolFields.flatMap((name) =>
      asList(config[name]).flatMap((tool, index) => descriptionsOf(tool, `/${name}/${index}`)),
    ),
  ];
}

/** Where a request has its system prompt, if it is in one place. */
function defaultPromptPath(dialect: Dialect): string {
  const { promptField, list } = dialectOf[dialect].conversation;
  return `/${promptField ?? list}`;
}

function contentTexts(content: PresetMessage['content'], dialect: Dialect, path: string): readonly Text[] {
  const parsed = parseMessageContent(content, dialect);
  if (typeof parsed === 'string') return [{ path, text: parsed }];
  return parsed.flatMap((block, index) => {
    const found = findBlockText(block);
    return found === undefined ? [] : [{ path: `${path}/${index}${found.path}`, text: found.text }];
  });
}

function descriptionsOf(tool: unknown, toolPath: string): readonly Text[] {
  const texts: Text[] = [];
  mapDescriptions(
    tool,
    (text, path) => {
      texts.push({ path, text });
      return text;
    },
    toolPath,
  );
  return texts;
}
