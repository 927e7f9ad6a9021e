import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeWithAgents,
  installAgents,
  installTimeoutMs,
  runClaudeCode,
  runCodex,
} from '../support/coding-agents.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { type DialectUpstreams, startDialectUpstreams } from './dialect-upstreams.ts';

const prompt = 'Should I take an umbrella?';
const text = 'Regen in Zürich ☔🌧 um 12:30.';

describeWithAgents('a coding agent whose preset is at an upstream of another dialect', () => {
  let gateway: DialectUpstreams;
  beforeAll(async () => {
    await installAgents();
    gateway = await startDialectUpstreams();
  }, installTimeoutMs);
  afterAll(() => gateway.stop());

  it.each(['chat-completions', 'responses'] as const)(
    'Claude Code reads a file and runs a command, messages to %s',
    async (to) => {
      const file = join(createWorkingDirectory().path, 'weather.txt');
      writeFileSync(file, 'Rain in Zürich ☔');
      gateway.play({
        calls: [
          { name: 'Read', input: { file_path: file }, result: 'Rain in Zürich ☔' },
          { name: 'Bash', input: { command: 'echo $((6 * 7)) ☔', description: 'Count' }, result: '42 ☔' },
        ],
        text,
      });
      const { url } = gateway.server;
      expect(await runClaudeCode({ url, preset: `on-${to}`, prompt })).toBe(`${text}\n`);
      expect(gateway.upstreams[to].requests.map(({ body }) => body.stream)).toEqual([true, true]);
    },
  );

  it.each(['chat-completions', 'messages'] as const)(
    'Codex runs a command and calls a tool of a namespace, responses to %s',
    async (to) => {
      gateway.play({
        calls: [
          { name: 'exec_command', input: { cmd: 'echo $((6 * 7)) ☔' }, result: '42 ☔' },
          { name: 'get_goal', input: {}, result: '"goal":null' },
          {
            name: 'multi_agent_v1__close_agent',
            input: { target: 'nobody' },
            result: 'invalid agent id nobody',
          },
        ],
        text,
      });
      const { url } = gateway.server;
      expect(await runCodex({ url, preset: `on-${to}`, prompt })).toBe(`${text}\n`);
      expect(gateway.upstreams[to].requests.map(({ body }) => body.stream)).toEqual([true, true]);
    },
  );
});
