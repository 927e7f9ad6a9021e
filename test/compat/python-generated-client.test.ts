import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { describeInPython, python, pythonFolder, pythonTimeoutMs } from '../support/python.ts';
import { type CheckResults, reportChecks, runChecks } from '../support/python-checks.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { completionText } from '../support/wire/recordings.ts';

const script = 'generated_client.py';

describeInPython('a Python client generated from the OpenAPI document', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let folder: string;
  let printed: string;
  let resultsOf: (script: string) => CheckResults;

  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    folder = mkdtempSync(join(tmpdir(), 'presetd-python-client-'));
    const document = join(folder, 'openapi.json');
    writeFileSync(document, (await server.get('/openapi.json')).text);
    printed = await generate(document, join(folder, 'client'));
    const environment = {
      CLIENT_FOLDER: join(folder, 'client'),
      OPENAPI_DOCUMENT: document,
      UPSTREAM_SPOKEN_TEXT: completionText,
    };
    resultsOf = await runChecks({ script, server, environment });
  }, pythonTimeoutMs);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await upstream.stop();
    await server.stop();
  });

  it('is generated without a warning', () => {
    expect(printed).not.toMatch(/warning|unable|unsupported/i);
  });

  reportChecks(script, () => resultsOf(script));
});

/** Returns the generator's output. It only warns about parts that it cannot generate. */
async function generate(document: string, output: string): Promise<string> {
  const options = ['--path', document, '--output-path', output];
  const config = ['--config', join(pythonFolder, 'openapi-python-client.yml')];
  const { stdout, stderr } = await python([
    ...['-m', 'openapi_python_client', 'generate'],
    ...options,
    ...config,
  ]);
  return stdout + stderr;
}
