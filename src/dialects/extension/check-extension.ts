import { type Issue, PresetdError } from '../../core/errors.ts';
import type { CapturedPreset, Dialect } from '../../core/presets/preset.ts';
import { isJsonObject } from '../json-object.ts';
import { checkPolicy } from './check-policy.ts';
import { findDeclarationIssues } from './declarations.ts';
import { checkMessages, type PresetMessage } from './messages.ts';
import type { Policy } from './policy.ts';
import { compileTemplate, type Template } from './template.ts';
import { findUndeclaredNames, findUnusedVariables } from './template-names.ts';
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
  const declarationIssues = findDeclarationIssues(variables, '/presetd/variables');
  const templates = parseTemplates(preset, promptPath);
  const templateIssues = templates.flatMap(({ template, path, issues }) =>
    // Names cannot be looked up in declarations that are not valid.
    template === undefined || declarationIssues.length > 0
      ? issues
      : findUndeclaredNames(template, variables, path),
  );
  return [...declarationIssues, ...issues, ...templateIssues];
}

/** Warns about declared variables that no text uses. Expects a capture without issues. */
export function findExtensionWarnings(preset: CheckedPreset): readonly Issue[] {
  const { variables } = (preset.extension ?? {}) as ExtensionParts;
  if (variables === undefined) return [];
  const templates = parseTemplates(preset, '').flatMap(({ template }) => template ?? []);
  return findUnusedVariables(templates, variables).map((name) => ({
    path: `/presetd/variables/${name}`,
    message: 'is declared, but no text uses it',
  }));
}

/** Where a request has its system prompt, if it is in one place. */
const promptPaths: Readonly<Record<Dialect, string>> = {
  'chat-completions': '/messages',
  messages: '/system',
  responses: '/instructions',
};

interface ParsedText {
  readonly path: string;
  /** Undefined if the text is not a valid template. */
  readonly template: Template | undefined;
  readonly issues: readonly Issue[];
}

function parseTemplates(preset: CheckedPreset, promptPath: string): readonly ParsedText[] {
  return textsOf(preset, promptPath).map(({ path, text }) => {
    try {
      return { path, template: compileTemplate(text, path), issues: [] };
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      return { path, template: undefined, issues: error.issues ?? [] };
    }
  });
}

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
