import type { Issue } from '../../core/errors.ts';
import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';
import { isJsonObject } from '../json-object.ts';
import { checkPolicy } from './check-policy.ts';
import { findDeclarationIssues, validDeclarations } from './declarations.ts';
import { checkMessages, type PresetMessage } from './messages.ts';
import type { Policy } from './policy.ts';
import { compileTemplate } from './template.ts';
import { findTemplateIssues, findUnusedVariables, type Shapes } from './template-names.ts';
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
  promptPath = promptPaths[dialect],
): readonly Issue[] {
  if (preset.extension === null) return [];
  const { variables, messages = [], policy = {} } = preset.extension as ExtensionParts;
  const issues = [...checkMessages(messages, dialect), ...checkPolicy(policy, dialect)];
  if (variables === undefined) return issues;
  const declarationIssues = findDeclarationIssues(variables, variablesPath);
  // A variable whose declaration is not valid can be anything.
  const shapes: Shapes = {
    ...Object.fromEntries(Object.keys(variables).map((name) => [name, undefined])),
    ...validDeclarations(variables, declarationIssues, variablesPath),
  };
  const texts = textsOf(preset, promptPath);
  return [
    ...declarationIssues,
    ...issues,
    ...texts.flatMap(({ text, path }) => findTemplateIssues(text, shapes, path)),
  ];
}

const variablesPath = '/presetd/variables';

/** Warns about declared variables that no text uses. Expects a capture without issues. */
export function findExtensionWarnings(preset: CheckedPreset): readonly Issue[] {
  const { variables } = (preset.extension ?? {}) as ExtensionParts;
  if (variables === undefined) return [];
  const templates = textsOf(preset, '').map(({ text }) => compileTemplate(text));
  return findUnusedVariables(templates, variables).map((name) => ({
    path: `${variablesPath}/${name}`,
    message: 'is declared, but no text uses it',
  }));
}

/** Where a request has its system prompt, if it is in one place. */
const promptPaths: Readonly<Record<Dialect, string>> = {
  'chat-completions': '/messages',
  messages: '/system',
  responses: '/instructions',
};

interface Text {
  readonly path: string;
  readonly text: string;
}

/** All texts in which variables can be used. */
function textsOf({ systemPrompt, config, extension }: CheckedPreset, promptPath: string): readonly Text[] {
  const { messages = [] } = extension as ExtensionParts;
  return [
    ...(systemPrompt === null ? [] : [{ path: promptPath, text: systemPrompt }]),
    ...messages.flatMap(({ content }, index) => contentTexts(content, `/presetd/messages/${index}/content`)),
    ...['tools', 'functions'].flatMap((name) =>
      listOf(config[name]).flatMap((tool, index) => descriptionOf(tool, `/${name}/${index}`)),
    ),
  ];
}

function contentTexts(content: PresetMessage['content'], path: string): readonly Text[] {
  if (typeof content === 'string') return [{ path, text: content }];
  return content.flatMap(({ text }, index) =>
    typeof text === 'string' ? [{ path: `${path}/${index}/text`, text }] : [],
  );
}

function descriptionOf(tool: unknown, path: string): readonly Text[] {
  if (!isJsonObject(tool)) return [];
  if (isJsonObject(tool.function)) return descriptionOf(tool.function, `${path}/function`);
  return typeof tool.description === 'string'
    ? [{ path: `${path}/description`, text: tool.description }]
    : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
