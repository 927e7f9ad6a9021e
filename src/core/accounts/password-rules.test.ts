import { expect, it } from 'vitest';
import { loadCommonPasswords } from './accounts.ts';
import { passwordProblem } from './password-rules.ts';

const isCommon = await loadCommonPasswords();

it.each([
  ['twelve characters', 'kq7vopxwnbzt'],
  ['several words', 'correct horse battery staple'],
  ['a thousand characters', `${'lorem ipsum dolor '.repeat(50)}${'xyzzyplugh'.repeat(10)}`],
  ['twelve characters outside the BMP', '🙂🙃🐙🦑🌍🌋🎹🎺🏔️🏝️🚀🛸'],
  ['a long sentence that repeats words', 'the cat and the dog and the cow'],
  ['a name of one letter', 'alphabet soup tonight', 'a@example.com'],
])('a password with %s is accepted', (_, password, email = 'grace.hopper@example.com') => {
  expect(passwordProblem(password, email, isCommon)).toBeUndefined();
});

const length = 'must have 12 to 1000 characters';
const repeats = 'must not repeat a few characters or count up or down; use several unrelated words';
const common = 'must not be a common password, with or without digits around it; use several unrelated words';

it.each([
  ['', length],
  ['kq7vopxwnbz', length],
  ['🙂🙃🐙🦑🌍🌋', length],
  // Eleven characters once the accents are composed.
  ['e\u0301kq7vopxwnb', length],
  ['aaaaaaaaaaaa', repeats],
  ['abcabcabcabcab', repeats],
  ['PasswordPassword', repeats],
  ['123456789012', repeats],
  ['zyxwvutsrqponm', repeats],
  ['1Q2W3E4R5T6Y', common],
  ['Password2026', common],
  ['!!letmein!!2026', common],
  ['mine: Grace.Hopper', 'must not contain grace.hopper, which is part of your email address'],
  ['a\u0000kq7vopxwnbzt', 'contains the character U+0000; remove it'],
])('the password %j is rejected', (password, problem) => {
  expect(passwordProblem(password, 'Grace.Hopper@example.com', isCommon)).toBe(problem);
});

it('a password of more than a thousand characters is rejected', () => {
  expect(passwordProblem('x'.repeat(1_001), 'a@example.com', isCommon)).toBe(length);
});
