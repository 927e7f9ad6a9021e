import type { Issue } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import type { Type } from '../../core/type.ts';
import type { FieldTable } from './capture-fields.ts';
import type {
  Completion,
  CompletionContext,
  NamespacedTools,
  ParsedCompletion,
  TokenUsage,
  WrittenCompletion,
} from './completion.ts';
import type { ConceptPool } from './concept-pool.ts';
import type { ConceptParsers, ConceptValues, FieldPath } from './concepts.ts';
import type { Block, Content, Role, WrittenContent } from './content.ts';
import type { ErrorDetails, UpstreamError } from './error-details.ts';
import type { Failure } from './stop.ts';
import type { StreamParser, StreamWriter } from './stream-events.ts';
import type { Turn, WrittenTurns } from './turns.ts';

/**
 * A wire format, with everything that code above the dialects has to know about it.
 *
 * Each dialect's folder exports one object of this type, and `dialects.ts` lists them. Optional
 * members are what most dialects lack. A member is data where data is enough.
 */
export interface DialectDefinition {
  readonly name: Dialect;
  readonly request: RequestFormat;
  readonly conversation: ConversationFormat;
  readonly content: ContentFormat;
  readonly concepts: ConceptFormat;
  readonly call: CallFormat;
  readonly tools: ToolFormat;
  readonly reasoning: ReasoningFormat;
  readonly completion: CompletionFormat;
  readonly stream: StreamFormat;
  readonly errors: ErrorFormat;
  readonly hints: DialectHints;
}

/** Requests and their fields. */
interface RequestFormat {
  /** The path of the endpoint, relative to a base URL. */
  readonly path: string;
  /** The name of the request schema in the OpenAPI document and of its validator. */
  readonly schemaName: string;
  /** All fields of a request except for `presetd`. */
  readonly schema: Type.TObject;
  /** For every field, also `presetd`, whether a capture saves it in the config, or why not. */
  readonly fields: FieldTable;
  /** Fields that exclude each other: each is mapped to those that replace it. */
  readonly conflicts: Readonly<Record<string, readonly string[]>>;
  /** The fields that the schema requires but a config lacks. Both together are a valid request. */
  readonly minimalConversation: JsonObject;
  /** Headers that the API requires, for clients that do not send them. */
  readonly requiredHeaders?: Readonly<Record<string, string>>;
  /** The end of base URLs for SDKs that add the version of the API themselves. */
  readonly baseUrlHint?: string;
  /** Values of fields that say what other dialects do without the field. */
  readonly neutralValues: Readonly<Record<string, readonly unknown[]>>;
  /** Whether translating a request loses a field that translating a preset may keep. */
  readonly isLost?: (name: string, value: unknown) => boolean;
  /**
   * Brings a translated request into a form that the provider accepts: adds what it requires and
   * leaves out what it rejects. `tokensMax` bounds a token limit that is added.
   */
  readonly fit: (body: JsonObject, drop: DropLoss, tokensMax: number) => JsonObject;
  /**
   * Where requests have what another provider's `fit` may drop, as paths. The last one whose field
   * a request sets is reported, or else the first.
   */
  readonly lossPaths: Readonly<Partial<Record<FitLoss, readonly string[]>>>;
}

/** Fields that a provider may reject and that have other names in other dialects. */
export type FitLoss =
  | 'reasoning'
  | 'reasoningTokens'
  | 'reasoningVisibility'
  | 'stopSequences'
  | 'systemRole'
  | 'systemCache';

/** Called with the path of a lost field, and with what it is if it has other names elsewhere. */
export type DropLoss = (path: string, loss?: FitLoss) => void;

/** Where requests have their messages and their system prompt. */
export interface ConversationFormat {
  /** The field that has the messages. */
  readonly list: string;
  /** The field for the system prompt; undefined if only messages have one. */
  readonly promptField?: string;
  /** The field of a text that replaces all messages. */
  readonly textField?: string;
  /** Whether the list may be a text, which is short for one message of the user. */
  readonly isTextAllowed?: boolean;
  /** Fields of every message besides its role and content. */
  readonly messageFields: JsonObject;
  /** Whether an item of the list is a message; all are if undefined. */
  readonly isMessage?: (item: JsonObject) => boolean;
  /** Whether the provider rejects a conversation that starts with the assistant. */
  readonly startsWithUser: boolean;
  /** The system prompt that a capture saves. Expects a valid request. */
  readonly findSystemPrompt: (request: JsonObject) => string | null;
  /** Says what of the list a capture saves as the system prompt, as the start of a sentence. */
  readonly promptSource: string;
  /** Fields that refer to what the provider has stored. */
  readonly storedFields: readonly string[];
  /** Finds messages that only refer to what the provider has stored. */
  readonly findStoredItems?: (request: JsonObject) => readonly Issue[];
  /** Whether a request continues a conversation that is stored, and so is not its start. */
  readonly continuesStored?: (request: JsonObject) => boolean;
  /** Parses the conversation of a request. Accepts any value. */
  readonly parseTurns: (request: JsonObject) => readonly Turn[];
  readonly writeTurns: (turns: readonly Turn[]) => WrittenTurns;
  /** Leaves out of a turn what the provider would reject. */
  readonly fitTurn?: (turn: Turn, drop: (path: string) => void) => Turn;
}

/** The content of messages. */
export interface ContentFormat {
  /** The types of text parts. */
  readonly textTypes: Readonly<Record<Role, string>>;
  readonly textSchema: Type.TObject;
  /** The other parts that messages of a preset may have. */
  readonly presetParts: readonly PresetPart[];
  readonly parseContent: (content: unknown) => Content;
  readonly parsePart: (part: unknown) => Block;
  readonly writeContent: (content: Content, role: Role) => WrittenContent;
}

interface PresetPart {
  readonly type: string;
  readonly schema: Type.TObject;
  readonly role: Role;
  /** Fields of which a part has exactly one, as its source. */
  readonly sources?: readonly string[];
  /** The field that contains the sources; undefined if the part itself does. */
  readonly sourceField?: string;
}

/** The settings that other dialects can express in another form. */
interface ConceptFormat {
  readonly parsers: ConceptParsers;
  /** Writes a config and consumes the concepts that the dialect can express. */
  readonly write: (concepts: ConceptPool) => JsonObject;
  /** Which concepts each field can express. A test finds those that are missing. */
  readonly fields: FieldConcepts;
  /** Fields whose names mean something else in other dialects. */
  readonly ownMeanings?: ReadonlySet<string>;
  /** Where the reasoning budget is, which a limit of a preset bounds. */
  readonly reasoningBudget: ReasoningBudget;
}

export type FieldConcepts = readonly (readonly [FieldPath, readonly (keyof ConceptValues)[]])[];

interface ReasoningBudget {
  readonly path: readonly [field: string, part: string];
  /** The smallest budget that the provider accepts, and the field for less. */
  readonly least?: { readonly tokens: number; readonly below: JsonObject };
}

/** Fields that concern a single call, and have another form in other dialects. */
export interface CallFormat {
  readonly parse: (request: JsonObject, drop: (path: string) => void) => CallSettings;
  readonly write: (settings: CallSettings, drop: (path: string) => void) => JsonObject;
  /** Requests for token log probabilities. */
  readonly logprobs?: {
    /** `top` is how many alternatives to return per token, `rest` the request without all that. */
    readonly take: (request: JsonObject) => {
      readonly isWanted: boolean;
      readonly top: unknown;
      readonly rest: JsonObject;
    };
    readonly write: (top: unknown) => JsonObject;
  };
}

export interface CallSettings {
  /** The end user on whose behalf the call is made. */
  readonly user?: unknown;
  /** OpenAI's newer id of the end user. */
  readonly safetyIdentifier?: unknown;
  /** OpenAI's key-value pairs. */
  readonly metadata?: unknown;
  readonly includeObfuscation?: unknown;
}

/** The tools that a request declares. */
interface ToolFormat {
  /** The longest name that the provider accepts. */
  readonly nameLengthMax: number;
  /** Where requests name tools. A star stands for any index. */
  readonly namePaths: readonly string[];
  /** Whether there are tools with free text as their input, besides functions. */
  readonly hasCustomTools: boolean;
  /** The names of these tools in a request, which contain their namespace, if any. */
  readonly findCustomNames: (request: JsonObject) => ReadonlySet<string>;
  /** Groups of tools, as Codex has one for each MCP server. */
  readonly namespaces?: {
    /** The tools in namespaces, by the name that contains the namespace. */
    readonly find: (request: JsonObject) => NamespacedTools;
    /** Replaces namespaces with their tools. */
    readonly flatten: (tools: unknown, drop: (path: string) => void) => unknown;
  };
}

/** Reasoning that clients send back. */
interface ReasoningFormat {
  /** Whether a part is reasoning, and nothing else that a client could have sealed. */
  readonly isPart: (part: JsonObject) => boolean;
  /** Whether a part only refers to what the provider has stored. */
  readonly isReference?: (part: JsonObject) => boolean;
  /** A message without sealed reasoning; empty if nothing is left of it. */
  readonly withoutSealed: (message: JsonObject) => readonly JsonObject[];
  /** Where messages have reasoning, as a path. */
  readonly path: string;
}

/** Successful responses. */
interface CompletionFormat {
  readonly parse: (body: JsonObject) => ParsedCompletion;
  readonly write: (completion: Completion, context: CompletionContext) => WrittenCompletion;
  /** Parses the `usage` of a response, or of all events of a stream together. */
  readonly parseUsage: (usage: unknown) => TokenUsage | undefined;
  /** Why a response ended, in the dialect's words, from its JSON text or the events of a stream. */
  readonly findFinishReason: (json: string) => string | undefined;
  /** Why a response is not one, although it looks complete. */
  readonly findFailure: (body: JsonObject) => Failure | undefined;
}

/** Responses that are event streams. */
export interface StreamFormat {
  readonly createParser: () => StreamParser;
  readonly createWriter: (context: CompletionContext) => StreamWriter;
  /** Whether a stream starts with a count of input tokens, which may have to be estimated. */
  readonly startsWithUsage: boolean;
  /** Whether a stream that ends with `tail` is complete or ended with the upstream's own error. */
  readonly hasFinished: (tail: string) => boolean;
  /**
   * The text of the events that end a broken stream. `sent` is the end of what was sent, after the
   * first lines that contain `startField`.
   */
  readonly errorEvent: (error: ErrorDetails, sent: string) => string;
  readonly startField?: string;
}

/** Error responses. */
export interface ErrorFormat {
  /** The schema's name in the OpenAPI document. Dialects that share it have the same errors. */
  readonly schemaName: string;
  readonly write: (error: ErrorDetails) => JsonObject;
  /** Whether a body is an error that clients of the dialect understand. */
  readonly isBody: (value: unknown) => boolean;
  /** Gives an error of an upstream the status, the code and the words that clients recognize. */
  readonly adapt: (error: UpstreamError) => UpstreamError;
}

/** Typical parts of the dialect, for recognizing it. */
interface DialectHints {
  /** Fields that SDKs and cloud providers add. Captures ignore them. */
  readonly fields?: readonly string[];
  readonly isTool: (tool: object) => boolean;
  readonly roles?: readonly string[];
  readonly parts?: readonly string[];
}
