import { describe, expect, it } from 'vitest';
import { emailPattern, isEmail, isName, personNamePattern } from '../organization/organization.ts';
import { caseNamePattern, caseNameProblem } from '../presets/case-name.ts';
import { modelPattern, parsePresetReference, presetPattern } from '../presets/preset-reference.ts';
import { namePattern, nameProblem } from './name.ts';
import { storablePattern, textProblem } from './storable-text.ts';

/** Every character that a class can contain without the `u` flag. */
const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => character.isWellFormed(),
);

const around = (character: string) => [character, `a${character}`, `${character}a`];
const emails = (character: string) => [`a${character}@b.c`, `a@${character}b`];

describe('OpenAPI patterns', () => {
  it.each([
    ['names', namePattern, (text: string) => nameProblem(text) === undefined, around],
    ['names of cases', caseNamePattern, (text: string) => caseNameProblem(text) === undefined, around],
    ['personal names', personNamePattern, isName, around],
    ['email addresses', emailPattern, isEmail, emails],
    ['other text', storablePattern, (text: string) => textProblem(text) === undefined, around],
  ])('the pattern for %s agrees with the server, character by character', (_, pattern, accepts, texts) => {
    const documented = new RegExp(pattern);
    const different = characters
      .flatMap((character) => texts(character))
      .filter((text) => documented.test(text) !== accepts(text));
    expect(different.map((text) => JSON.stringify(text))).toEqual([]);
  });

  it.each(['', ' ', 'a', '@', 'a@', '@b', 'a@b', 'a@b@c', 'a b@c'])(
    'the pattern agrees with the server on the email address %j',
    (text) => {
      expect(new RegExp(emailPattern).test(text)).toBe(isEmail(text));
    },
  );

  const accepts = (request: object) => {
    try {
      parsePresetReference(request);
      return true;
    } catch {
      return false;
    }
  };
  const references = ['bot', 'bot@3', 'bot:live', '.a', '...', 'a'.repeat(128)];
  const broken = ['', '.', '..', '.@1', '..:live', 'a/b', 'a b', 'ä', 'a'.repeat(129)];

  it.each([...references, ...broken])(
    'the pattern agrees with the server on the preset reference %j',
    (preset) => {
      expect(new RegExp(presetPattern).test(preset)).toBe(accepts({ preset }));
      expect(new RegExp(presetPattern).test(`@preset/${preset}`)).toBe(
        accepts({ preset: `@preset/${preset}` }),
      );
      for (const model of [`@preset/${preset}`, `vendor/model@preset/${preset}`])
        expect([model, new RegExp(modelPattern).test(model)]).toEqual([model, accepts({ model })]);
    },
  );

  it.each(['', 'vendor/model', 'a\nb', '@preset/a@preset/b', '@preset/a/@preset/b'])(
    'the pattern agrees with the server on the model %j',
    (model) => {
      expect(new RegExp(modelPattern).test(model)).toBe(!model.includes('@preset/') && accepts({ model }));
    },
  );
});
