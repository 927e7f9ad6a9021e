import { describe, expect, test } from 'vitest';
import css from './tokens.css?raw';

const pairs = [...css.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g)];
const schemes = {
  light: new Map(pairs.map(([, name = '', light = '']) => [name, light])),
  dark: new Map(pairs.map(([, name = '', , dark = '']) => [name, dark])),
};

const surfaces = ['background', 'surface', 'raised', 'sunken', 'hover'];
/** Text, and the backgrounds on which it appears. */
const texts: readonly (readonly [text: string, backgrounds: readonly string[]])[] = [
  ['text', [...surfaces, 'accent-soft', 'danger-soft', 'warning-soft', 'live-soft', 'label-soft']],
  ['text', ['added', 'added-strong', 'removed', 'removed-strong']],
  ['text-muted', [...surfaces, 'accent-soft', 'danger-soft', 'warning-soft', 'live-soft', 'label-soft']],
  ['link', [...surfaces, 'accent-soft']],
  ['on-accent', ['accent', 'accent-hover']],
  ['danger', [...surfaces, 'danger-soft']],
  ['warning', ['background', 'surface', 'raised', 'warning-soft']],
  ['live', ['background', 'surface', 'raised', 'live-soft']],
  ['label', ['background', 'surface', 'raised', 'label-soft']],
  ['code-keyword', ['sunken']],
  ['code-string', ['sunken']],
  ['code-literal', ['sunken']],
];
/** Edges and rings that tell where a control is. */
const edges: readonly (readonly [edge: string, backgrounds: readonly string[]])[] = [
  ['border-strong', ['background', 'surface', 'raised']],
  ['focus', surfaces],
  ['accent', ['background', 'surface', 'raised']],
  ...['1', '2', '3', '4', '5', '6', '7', 'other'].map((name) => [`chart-${name}`, ['surface']] as const),
];

describe.each(['light', 'dark'] as const)('the %s color scheme', (scheme) => {
  const color = (name: string) => {
    const value = schemes[scheme].get(name);
    if (value === undefined) throw new Error(`tokens.css has no color --${name}`);
    return value;
  };
  const cases = (list: typeof texts) =>
    list.flatMap(([front, backs]) => backs.map((back) => [front, back] as const));

  test.each(cases(texts))('the text color %s is readable on %s', (text, background) => {
    expect(contrast(color(text), color(background))).toBeGreaterThanOrEqual(4.5);
  });
  test.each(cases(edges))('the edge color %s is visible on %s', (edge, background) => {
    expect(contrast(color(edge), color(background))).toBeGreaterThanOrEqual(3);
  });
});

/** The ratio that WCAG 2 defines, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
