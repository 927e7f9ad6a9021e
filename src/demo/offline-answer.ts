/**
 * Answers for the models of `presetd demo`. No model runs: words in the conversation select the
 * answer, so that a preset can be tried without a network and still shows something plausible. A
 * different model or prompt often gets a different answer, the same request always the same.
 */

export interface OfflineRequest {
  readonly model: string;
  readonly messages: readonly OfflineMessage[];
  readonly tools?: readonly OfflineTool[];
  readonly response_format?: { readonly json_schema?: { readonly schema?: Schema } };
}

interface OfflineMessage {
  readonly role: string;
  readonly content?: unknown;
}

interface OfflineTool {
  readonly function: { readonly name: string; readonly parameters?: Schema };
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface OfflineAnswer {
  readonly text: string;
  readonly toolCall?: { readonly name: string; readonly arguments: string };
}

export function offlineAnswer({
  model,
  messages,
  tools = [],
  response_format,
}: OfflineRequest): OfflineAnswer {
  const question = textOf(messages.findLast(({ role }) => role === 'user'));
  const instructions = messages.filter(({ role }) => role === 'system' || role === 'developer').map(textOf);
  const seed = hash([model, question, ...instructions].join('\n'));
  const schema = response_format?.json_schema?.schema;
  if (schema !== undefined) return { text: JSON.stringify(instanceOf(schema, question, seed)) };
  const order = /\bFH-\d{6}\b/.exec(question)?.[0];
  const lookup = tools.find(({ function: { parameters } }) => parameters?.properties?.order_id);
  const isAnswered = messages.at(-1)?.role === 'tool';
  if (order !== undefined && lookup !== undefined && !isAnswered)
    return {
      text: '',
      toolCall: { name: lookup.function.name, arguments: JSON.stringify({ order_id: order }) },
    };
  return { text: replyTo(isAnswered ? 'looked up' : question, instructions.join('\n'), seed) };
}

/** By words of the question, then of the instructions. Each has two wordings. */
const replies: readonly (readonly [RegExp, readonly [string, string]])[] = [
  [
    /looked up/,
    [
      "I've found your order. The ficus arrived yesterday, so rule 1 applies: you get the full 34.90 EUR back and keep the plant. Shall I refund it now?",
      "Thank you, I can see the order. A damaged plant is refunded in full, which is 34.90 EUR here; no need to send anything back. If that's fine with you, I'll start the refund.",
    ],
  ],
  [
    /money back|refund|voucher|charged/i,
    [
      "I'm happy to look into that. Which order is it about? The number starts with FH and is on your invoice. Once I have it, I'll check what we can refund.",
      "Of course, let's sort this out. Please send me the order number (FH and six digits). If something arrived damaged, a photo helps; then I can tell you the amount right away.",
    ],
  ],
  [
    /thank/i,
    ["You're welcome! Enjoy the garden.", 'Happy to help! If anything else comes up, just write to us.'],
  ],
  [
    /where is|late|tracking|parcel/i,
    [
      "Your parcel was scanned in Leeds this morning. The carrier expects to deliver it on Thursday; that date is theirs, and we'll watch it for you.",
      "It left our warehouse on Monday, and the carrier says it's out for delivery today. If it isn't there tonight, write back and I'll trace it.",
    ],
  ],
  [
    /leaves|water|basil|brown|yellow|plant/i,
    [
      'Brown tips are nearly always dry air, yellow leaves nearly always too much water. Let the top of the soil dry before you water again, and move the plant away from the radiator.',
      'That looks like too much water. Lift the pot: if it is heavy, wait. Most houseplants want a drink every 7 to 10 days, and less in winter.',
    ],
  ],
  [
    /```diff|\+ {2}/,
    [
      '[bug] The promise is not awaited, so an error is lost and the response is sent before the data is stored. Add `await` and a test in which the write fails.',
      'One finding.\n\n[bug] `saveOrder` returns a promise that nobody waits for. If it rejects, the customer still gets 201.',
    ],
  ],
];

const otherwise = [
  'Here is a first answer. It follows the instructions of the preset, uses only what you have given, and leaves out what is not known. (The demo answers without a model.)',
  'In short: yes, with the facts at hand. What is missing, I would ask for before going on. (The demo answers without a model.)',
] as const;

function replyTo(question: string, instructions: string, seed: number): string {
  const found =
    replies.find(([pattern]) => pattern.test(question)) ??
    replies.find(([pattern]) => pattern.test(instructions));
  const [first, second] = found?.[1] ?? otherwise;
  return seed % 2 === 0 ? first : second;
}

/** A value that matches the schema, with words of the question where text is asked for. */
function instanceOf(schema: Schema, question: string, seed: number): unknown {
  const [alternative] = schema.anyOf ?? [];
  if (alternative !== undefined) return instanceOf(alternative, question, seed);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (schema.enum !== undefined) return schema.enum[seed % schema.enum.length];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, part], index) => [
          name,
          instanceOf(part, question, seed + index),
        ]),
      );
    case 'array':
      return schema.items === undefined ? [] : [instanceOf(schema.items, question, seed)];
    case 'boolean':
      return seed % 2 === 0;
    case 'integer':
      return clamp(1 + (seed % 9), schema);
    case 'number':
      return schema.maximum === 1 ? 0.8 + (seed % 20) / 100 : clamp(10 + (seed % 50), schema);
    default:
      return question.split(/\s+/).slice(0, 12).join(' ');
  }
}

function clamp(value: number, { minimum = -Infinity, maximum = Infinity }: Schema): number {
  return Math.max(minimum, Math.min(value, maximum));
}

function textOf(message: OfflineMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: { readonly text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
    .join('\n');
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 65_521, 7);
}
