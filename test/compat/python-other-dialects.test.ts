import { afterAll, beforeAll } from 'vitest';
import { describeInPython, pythonTimeoutMs } from '../support/python.ts';
import { type CheckResults, reportChecks, runChecks } from '../support/python-checks.ts';
import { type DialectUpstreams, startDialectUpstreams } from './dialect-upstreams.ts';
import { weatherLoop } from './weather-loop.ts';

const script = 'other_dialects.py';

describeInPython('a Python client whose preset is at an upstream of another dialect', () => {
  let gateway: DialectUpstreams;
  let results: CheckResults;

  beforeAll(async () => {
    gateway = await startDialectUpstreams();
    gateway.play(weatherLoop);
    results = await runChecks(script, gateway.server, { UPSTREAM_SPOKEN_TEXT: weatherLoop.text });
  }, pythonTimeoutMs);
  afterAll(() => gateway.stop());

  reportChecks(script, () => results);
});
