import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import manifest from './chromium-package/package.json' with { type: 'json' };
import type { Chromium } from './launch-chromium.ts';
import { makeFolderOnce } from './make-folder-once.ts';

/** Not among the dependencies: it is large, and most systems have a Chromium. */
const recipe = fileURLToPath(new URL('chromium-package', import.meta.url));
const version = manifest.dependencies['@sparticuz/chromium'];
const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const archives = ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br'];

/** Chromium from the npm registry, kept for the next run; undefined where it has none for the platform. */
export async function packagedChromium(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = join(cache, `presetd-test-chromium-${version}`);
  await makeFolderOnce(folder, install);
  return {
    executablePath: join(folder, 'chromium'),
    // The libraries and fonts that came with it, so that it starts on a system that has none.
    environment: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

async function install(folder: string): Promise<void> {
  process.stderr.write('There is no Chromium for the browser tests: installing one from the npm registry.\n');
  const project = join(folder, 'project');
  cpSync(recipe, project, { recursive: true });
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], {
    cwd: project,
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  unpack(join(project, 'node_modules', '@sparticuz', 'chromium'), folder);
  writeFileSync(join(folder, 'fonts.conf'), fontConfiguration);
  rmSync(project, { recursive: true });
}

/** The package unpacks to the temporary folder of its process, under names that other programs could use too. */
function unpack(source: string, folder: string): void {
  const entry = pathToFileURL(join(source, 'build', 'index.js')).href;
  const script = `const { inflate } = await import(process.argv[1]);
    await Promise.all(process.argv.slice(2).map((archive) => inflate(archive)));`;
  const paths = archives.map((archive) => join(source, 'bin', archive));
  execFileSync(process.execPath, ['--input-type=module', '--eval', script, entry, ...paths], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
}

/** The package's own file looks for the fonts where Lambda has them. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
