// Samples in other languages. cspell:disable
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

describe('the estimate of tokens', () => {
  test.each([
    'You support Acme customers.\n\n# Manner\n- Be **brief** and kind.\n- Never promise a date.\n',
    'Antworten Sie kurz und freundlich und versprechen Sie niemals ein Lieferdatum. Wenn eine Bestellung verspätet ist, entschuldigen Sie sich.',
    "Vous aidez les clients d'Acme. Répondez brièvement et ne promettez jamais de date de livraison.",
    '您是Acme公司的客服助手。请简短而友好地回答客户的问题,不要承诺具体的送达日期。',
    'お客様の質問に短く親切に答えてください。配達日を約束しないでください。',
    'Отвечайте кратко и доброжелательно и никогда не обещайте дату доставки.',
    'export function tokensOf(piece: string): number {\n  return Math.max(1, piece.length / 3.6);\n}\n',
    JSON.stringify(
      { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
      null,
      2,
    ),
  ])('is close to the count of a tokenizer: %j', (text) => {
    const count = countTokens(text);
    expect(Math.abs(estimateTokens(text) - count)).toBeLessThanOrEqual(Math.max(2, 0.2 * count));
  });

  test('is 0 for nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
