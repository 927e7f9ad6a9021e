import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = globSync(['*.ts', 'bin/*.js', '{src,test,bench,dashboard}/**/*.{ts,tsx,mts,js}'], {
  cwd: root,
  exclude: ['**/node_modules/**', 'dashboard/dist/**'],
});
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** Each name that a file imports, as `path name`; `path *` if it imports all of them. */
const imported = new Set([...texts].flatMap(([file, text]) => importsOf(file, text)));

it('a name is exported only if another file imports it', () => {
  const modules = files.filter((file) => /^(?:src|dashboard\/src)\/(?!.*\.test\.)/.test(file));
  expect(modules.length).toBeGreaterThan(300);
  const unused = modules.flatMap((module) =>
    exportsOf(texts.get(module) ?? '')
      .filter((name) => !imported.has(`${module} ${name}`) && !imported.has(`${module} *`))
      .map((name) => `${module} exports ${name}`),
  );
  expect(unused).toEqual([]);
});

it('an export that nothing imports is noticed', () => {
  expect(exportsOf('export const a = 1;\nexport async function b() {}\nconst c = 2;')).toEqual(['a', 'b']);
  expect(importsOf('src/b.ts', "import { c, type d as e } from './a.ts';")).toEqual([
    'src/a.ts c',
    'src/a.ts d',
  ]);
  expect(importsOf('src/b.ts', "const all = await import('./a.ts');")).toEqual(['src/a.ts *']);
});

function exportsOf(text: string): readonly string[] {
  const declarations = text.matchAll(
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type|namespace) (\w+)/gm,
  );
  return [...declarations].map(([, name = '']) => name);
}

function importsOf(file: string, text: string): readonly string[] {
  const pathOf = (specifier: string) => relative(root, join(root, dirname(file), specifier));
  const named = text.matchAll(
    /^(?:import|export)\s(?:type )?[^;'"]*?\{([^}]*)\}[^;'"]*?['"](\.[^'"]+)['"]/gm,
  );
  const all = text.matchAll(/(?:\bimport\(\s*|\* as \w+ from |new URL\()['"](\.[^'"]+)['"]/g);
  return [
    ...[...named].flatMap(([, names = '', specifier = '']) =>
      [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?/g)].map(([, name]) => `${pathOf(specifier)} ${name}`),
    ),
    ...[...all].map(([, specifier = '']) => `${pathOf(specifier)} *`),
  ];
}
