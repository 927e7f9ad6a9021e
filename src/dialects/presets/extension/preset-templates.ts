import type { JsonObject } from '../../../core/json/json-object.ts';
import { invalidBody } from '../../../core/request-issues.ts';
import type { Block, Role } from '../../model/content.ts';
import type { ContentFormat } from '../../model/dialect.ts';
import type { TranslatedTurn } from './apply-messages.ts';
import { contentItemToBlocks } from './content-item.ts';
import {
  compileTemplate,
  type RenderBudget,
  renderTemplate,
  soleVariable,
  type Template,
} from './template.ts';
import { namesIn } from './template-names.ts';
import { findBlockText, mapDescriptions, toolFields } from './template-texts.ts';
import type { VariableValues } from './variables.ts';

/**
 * The texts of a preset with variables, compiled once for the calls of a dialect.
 *
 * A compiled text, tool or message is a function that renders it, or undefined if it has no tags:
 * then rendering keeps the original object, and costs nothing.
 */
export interface PresetTemplates {
  readonly systemPrompt: Render<string> | undefined;
  /** Fields of the config that have templates, which are lists of tools. */
  readonly config: readonly (readonly [name: string, render: Render<readonly unknown[]>])[];
  readonly messages: Render<readonly JsonObject[]> | undefined;
  /** Variables that are used inside a text, where an image or a file cannot be inserted. */
  readonly namesInTexts: ReadonlySet<string>;
}

/** Everything needed to render a version with variables. */
export interface PreparedVariables {
  readonly check: (sent: unknown) => VariableValues;
  readonly templates: PresetTemplates;
}

export interface RenderContext {
  readonly values: JsonObject;
  /** The variables whose value is an image or a file. */
  readonly mediaNames: readonly string[];
  readonly budget: RenderBudget;
  /** Collects what the dialect cannot express of an image or a file, as paths in the request. */
  readonly dropped: Set<string>;
}

type Render<Result> = (context: RenderContext) => Result;

/** Expects the config and the turns in the dialect of the call. The templates must be valid. */
export function compilePresetTemplates(
  preset: {
    readonly systemPrompt: string | null;
    readonly config: JsonObject;
    readonly turns: readonly TranslatedTurn[];
  },
  format: ContentFormat,
): PresetTemplates {
  const namesInTexts = new Set<string>();
  const compileText = (text: unknown): Render<string> | undefined => {
    const template = templateOf(text);
    if (template === undefined) return undefined;
    for (const { reference } of namesIn(template)) namesInTexts.add(reference.keys[0] ?? '');
    return renderText(template);
  };

  function compileTool(tool: unknown): Render<unknown> | undefined {
    const renders = new Map<string, Render<string>>();
    mapDescriptions(tool, (text) => {
      const render = compileText(text);
      if (render !== undefined) renders.set(text, render);
      return text;
    });
    if (renders.size === 0) return undefined;
    return (context) => mapDescriptions(tool, (text) => renders.get(text)?.(context) ?? text);
  }

  /** A text that is nothing but a variable becomes the image or file that the variable may be. */
  function compilePart(
    text: string,
    role: Role,
    write: (rendered: string) => readonly unknown[],
  ): Render<readonly unknown[]> {
    const template = templateOf(text);
    const name = template && soleVariable(template);
    const render = name === undefined ? compileText(text) : template && renderText(template);
    if (render === undefined) return constant(write(text));
    return (context) =>
      name !== undefined && context.mediaNames.includes(name)
        ? writeMedia(name, context, role)
        : write(render(context));
  }

  /** The image or file that is the value of a variable. Checking the values has found it valid. */
  function writeMedia(name: string, { values, dropped }: RenderContext, role: Role): readonly unknown[] {
    const fail = (message: string) => invalidBody([{ path: `/prompt/variables/${name}`, message }]);
    if (role === 'assistant')
      throw fail('must be text: the preset uses it in a turn of the assistant, who sends no images or files');
    const written = format.writeContent(contentItemToBlocks(values[name]) ?? [], role);
    const { content } = written;
    if (content.length === 0) throw fail('is an image or a file of a kind that this API does not accept');
    // There is one part, so paths start with its index, 0.
    for (const path of written.dropped) dropped.add(`prompt.variables.${name}${path.slice(1)}`);
    return typeof content === 'string' ? [content] : content;
  }

  function compileBlock(block: Block, role: Role): Render<readonly unknown[]> {
    const write = (each: Block) => format.writeContent([each], role).content as readonly unknown[];
    const found = findBlockText(block);
    if (found === undefined) return constant(write(block));
    const writeText = (text: string) => write(found.withText(text));
    if (block.kind === 'text') return compilePart(found.text, role, writeText);
    const render = compileText(found.text);
    if (render === undefined) return constant(write(block));
    return (context) => {
      const parts = writeText(render(context));
      // Responses has documents as base64 of UTF-8.
      if (parts.length === 0)
        throw invalidBody([{ path: '/prompt/variables', message: 'must not have unpaired surrogates' }]);
      return parts;
    };
  }

  function compileTurn({ role, content, message }: TranslatedTurn): Render<JsonObject> {
    if (typeof content === 'string') {
      const part = compilePart(content, role, (text) => [text]);
      return (context) => {
        const [first, ...others] = part(context);
        const isText = typeof first === 'string' && others.length === 0;
        return { ...message, content: isText ? first : [first, ...others] };
      };
    }
    const parts = content.map((block) => compileBlock(block, role));
    return (context) => ({ ...message, content: parts.flatMap((part) => part(context)) });
  }

  const messages = preset.turns.map(compileTurn);
  return {
    systemPrompt: compileText(preset.systemPrompt),
    config: toolFields.flatMap((name) => {
      const render = compileList(preset.config[name], compileTool);
      return render === undefined ? [] : [[name, render] as const];
    }),
    messages: messages.length === 0 ? undefined : (context) => messages.map((message) => message(context)),
    namesInTexts,
  };
}

/** Undefined for a text without tags, and for anything else. */
function templateOf(text: unknown): Template | undefined {
  if (typeof text !== 'string' || !text.includes('{{')) return undefined;
  return compileTemplate(text);
}

function renderText(template: Template): Render<string> {
  return ({ values, budget }) => renderTemplate(template, values, budget);
}

function constant<Result>(result: Result): Render<Result> {
  return () => result;
}

/** Undefined if no item has a template. */
function compileList(
  items: unknown,
  compileItem: (item: unknown) => Render<unknown> | undefined,
): Render<readonly unknown[]> | undefined {
  if (!Array.isArray(items)) return undefined;
  const renders = items.map(compileItem);
  if (renders.every((render) => render === undefined)) return undefined;
  return (context) => items.map((item, index) => renders[index]?.(context) ?? item);
}
