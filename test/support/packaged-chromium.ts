import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import manifest from './chromium-package/package.json' with { type: 'json' };
import type { Chromium } from './launch-chromium.ts';
import { cacheFolder, makeFolderOnce } from './make-folder-once.ts';

/** Not a dependency of presetd: it is large, and most systems have a Chromium. */
const packageFolder = fileURLToPath(new URL('chromium-package', import.meta.url));
const version = manifest.dependencies['@sparticuz/chromium'];
const archives = ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br', 'fonts.tar.br'];

/**
 * A Chromium from the npm registry, cached for the next run. Undefined on platforms without one.
 */
export async function packagedChromium(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = join(cacheFolder, `chromium-${version}`);
  await makeFolderOnce(folder, install);
  return {
    executablePath: join(folder, 'chromium'),
    // Its own libraries and fonts, so that it starts on a system without them.
    environment: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

async function install(folder: string): Promise<void> {
  process.stderr.write('No Chromium found for the browser tests: installing one from the npm registry.\n');
  const project = join(folder, 'project');
  cpSync(packageFolder, project, { recursive: true });
  execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], {
    cwd: project,
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
  });
  unpack(join(project, 'node_modules', '@sparticuz', 'chromium'), folder);
  writeFileSync(join(folder, 'fonts.conf'), fontConfiguration);
  rmSync(project, { recursive: true });
}

/**
 * The package unpacks into its process's temporary folder, under names that other programs could
 * use; TMPDIR gives it a folder of its own.
 */
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

/** The package's own file expects the fonts where AWS Lambda has them. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
