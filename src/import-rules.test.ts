import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dialects } from './core/presets/preset.ts';

/** The areas that the dashboard shares with the server; it reaches all others through the API. */
const inBrowsers = ['member-import', 'api', 'dialects', 'core'];

/**
 * Which areas each area may import. Everything not listed is forbidden, so a new folder has to be
 * placed here first. ARCHITECTURE.md explains the order.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  dialects: ['core'],
  api: ['dialects', 'core'],
  'member-import': ['api', 'core'],
  // Data only.
  demo: ['api', 'core'],
  scim: ['core'],
  storage: ['core', 'package.ts'],
  'settings-file': ['core'],
  'sign-in': ['settings-file', 'core'],
  gateway: ['settings-file', 'dialects', 'core'],
  http: ['api', 'sign-in', 'scim', 'gateway', 'dialects', 'core'],
  // Settings name files and a database, whose owners parse them.
  config: ['sign-in', 'gateway', 'storage', 'core'],
  observability: ['config', 'core', 'package.ts'],
  cluster: ['observability', 'config', 'core'],
  'package.ts': [],
  'main.ts': [
    'cluster',
    'observability',
    'config',
    'http',
    'sign-in',
    'gateway',
    'storage',
    'core',
    'package.ts',
  ],
  // The command line starts servers, and works on databases without one.
  cli: [
    'main.ts',
    'cluster',
    'observability',
    'config',
    'http',
    'sign-in',
    'gateway',
    'storage',
    'member-import',
    'demo',
    'api',
    'dialects',
    'core',
    'package.ts',
  ],
  'dashboard/api': inBrowsers,
  'dashboard/components': ['dashboard/api', 'dashboard/styles', ...inBrowsers],
  'dashboard/features': ['dashboard/components', 'dashboard/api', ...inBrowsers],
  // Each page is an area of its own: what two pages share is a component or a feature.
  'dashboard/pages': [
    'dashboard/features',
    'dashboard/components',
    'dashboard/api',
    'dashboard/styles',
    ...inBrowsers,
  ],
  'dashboard/app': [
    'dashboard/pages',
    'dashboard/features',
    'dashboard/components',
    'dashboard/api',
    'dashboard/styles',
    ...inBrowsers,
  ],
};

/**
 * The same inside `src/dialects`. A dialect never imports another one; everything above
 * `dialects.ts` reaches them through it.
 */
const insideDialects: Readonly<Record<string, readonly string[]>> = {
  model: [],
  schema: [],
  openai: ['model', 'schema'],
  'chat-completions': ['openai', 'model', 'schema'],
  messages: ['model', 'schema'],
  responses: ['openai', 'model', 'schema'],
  'dialects.ts': ['chat-completions', 'messages', 'responses', 'model'],
  'known-fields.ts': ['dialects.ts', 'model'],
  'recognize-dialect.ts': ['dialects.ts', 'model'],
  'field-spelling.ts': ['dialects.ts'],
  'response-usage.ts': ['dialects.ts', 'model'],
  'response-facts.ts': ['dialects.ts', 'model'],
  translate: ['known-fields.ts', 'dialects.ts', 'model'],
  presets: ['translate', 'known-fields.ts', 'dialects.ts', 'model', 'schema'],
};

/** Libraries that only some areas may use. Other dependencies are free to use. */
const onlyIn: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http', 'cluster', 'main.ts'],
  pg: ['storage'],
  'node:sqlite': ['storage'],
  'prom-client': ['observability'],
  undici: ['gateway'],
  'openid-client': ['sign-in'],
  commander: ['cli'],
};

/** Code that browsers also run. */
const withoutNode = /^(api|member-import|dashboard\/.+|dialects)$/;

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = globSync('{src,dashboard/src}/**/*.{ts,tsx}', { cwd: root, exclude: ['**/*.test.*'] });

it('every import follows the order of the areas', () => {
  expect(modules.length).toBeGreaterThan(300);
  expect(modules.flatMap(forbiddenImports)).toEqual([]);
});

it('the organization does not import presets, which build on it', () => {
  const imports = modules
    .filter((module) => module.startsWith('src/core/organization/'))
    .flatMap((module) => importsOf(module).map((target) => `${module} imports ${target}`))
    .filter((found) => found.includes(' imports src/core/presets/'));
  expect(imports).toEqual([]);
});

it('the helpers of core know nothing of its subjects', () => {
  const helpers = /^src\/core\/(?:json|text|concurrency)\//;
  const imports = modules
    .filter((module) => helpers.test(module))
    .flatMap((module) => importsOf(module).map((target) => `${module} imports ${target}`))
    .filter((found) => /^\S+ imports src\/core\/[^/]+\//.test(found))
    .filter((found) => !helpers.test(found.split(' imports ')[1] ?? ''));
  expect(imports).toEqual([]);
});

it('every import inside dialects follows the order of its layers', () => {
  const layerOf = (path: string) => path.split('/')[2] ?? '';
  const forbidden = modules
    .filter((module) => areaOf(module) === 'dialects')
    .flatMap((module) => importsOf(module).map((target) => [module, target] as const))
    .filter(([, target]) => /^src\/dialects\//.test(target))
    .filter(([module, target]) => layerOf(module) !== layerOf(target))
    .filter(([module, target]) => insideDialects[layerOf(module)]?.includes(layerOf(target)) !== true);
  expect(forbidden).toEqual([]);
});

it('a dialect is reached through the list of dialects, except for features that are unique to it', () => {
  const folder = new RegExp(`^src/dialects/(${dialects.join('|')})/`);
  const imports = modules
    .filter((module) => !folder.test(module) && module !== 'src/dialects/dialects.ts')
    .flatMap((module) => importsOf(module).map((target) => `${module} ► ${folder.exec(target)?.[1]}`));
  expect([...new Set(imports)].filter((each) => !each.endsWith('undefined')).sort()).toEqual([
    // Test cases have the messages of chat completions.
    'src/api/cases.ts ► chat-completions',
    // Only responses are stored by providers and continued by their ids.
    'src/gateway/plan/plan-response.ts ► responses',
    'src/gateway/stored-ids/stored-references.ts ► responses',
    'src/http/websocket/responses-socket.ts ► responses',
  ]);
});

it('code that serves all dialects does not compare their names', () => {
  const comparing = modules
    .filter((module) => servesAllDialects.test(module))
    .filter((module) => comparison.test(readFileSync(join(root, module), 'utf8')));
  expect(comparing).toEqual([]);
});

const servesAllDialects = /^(?:src\/dialects\/(?:model|openai|translate|presets|[\w-]+\.ts)|dashboard\/)/;
const comparison = new RegExp(
  `(?:\\b(?:dialect|format|from|to|name|source|target) [!=]==|\\bcase) '(?:${dialects.join('|')})'`,
);

it('programs import only types of the contract, so that they do not load its schemas', () => {
  const withSchemas = (target: string) => /^src\/api\/(?!call-feed|client|limits|member-count)/.test(target);
  const loaded = modules
    .filter((module) => /^(cli$|dashboard)/.test(areaOf(module)))
    .flatMap((module) => importsOf(module, /^import (?!type)/).map((target) => [module, target] as const))
    .filter(([, target]) => withSchemas(target));
  expect(loaded).toEqual([]);
});

it('a page that imports another page is noticed', () => {
  expect(isAllowed('dashboard/src/pages/audit/a.ts', 'dashboard/src/pages/audit/b.ts')).toBe(true);
  expect(isAllowed('dashboard/src/pages/audit/a.ts', 'dashboard/src/pages/keys/b.ts')).toBe(false);
});

function forbiddenImports(module: string): readonly string[] {
  return importsOf(module)
    .filter((target) => !isAllowed(module, target))
    .map((target) => `${module} imports ${target}`);
}

function isAllowed(module: string, target: string): boolean {
  const area = areaOf(module);
  if (target.startsWith('node:') && withoutNode.test(area)) return false;
  if (!/^(src|dashboard)\//.test(target))
    return !Object.hasOwn(onlyIn, target) || onlyIn[target]?.includes(area) === true;
  if (mayImport[area]?.includes(areaOf(target))) return true;
  return areaOf(target) === area && pageOf(target) === pageOf(module);
}

/** Package names, and paths from the root, of the statements that match `selected`. */
function importsOf(module: string, selected = /^/): readonly string[] {
  const text = readFileSync(join(root, module), 'utf8');
  const statements = text.matchAll(/^(?:import|export|[^'"`]*\bimport\()[^'"`]*['"]([^'"]+)['"]/gm);
  const specifiers = [...statements].filter(([statement]) => selected.test(statement));
  return specifiers.map(([, specifier = '']) =>
    specifier.startsWith('.')
      ? relative(root, join(root, dirname(module), specifier))
      : specifier.replace(/^((?:@[^/]+\/)?[^/]+).*/, '$1'),
  );
}

function areaOf(path: string): string {
  const [top = '', area = '', folder = ''] = path.split('/');
  return top === 'dashboard' ? `dashboard/${folder}` : area;
}

/** Undefined for files outside the pages of the dashboard. */
function pageOf(path: string): string | undefined {
  return /^dashboard\/src\/pages\/([^/]+)/.exec(path)?.[1];
}
