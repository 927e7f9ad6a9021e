import { Argument, type Command, Option } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { parseSlug, presetPath } from './path.ts';

export function editCommand(): Command {
  return apiCommandWithJson('edit')
    .description('change what a preset is called and whether it is in use; its versions stay as they are')
    .addArgument(new Argument('<slug>').argParser(parseSlug))
    .option('--name <text>', 'what people call it')
    .option('--description <text>', 'what it is for; an empty text removes it')
    .addOption(new Option('--status <status>', 'whether it is in use').choices(['active', 'disabled']))
    .action(edit);
}

interface EditOptions extends ApiOptions {
  readonly name?: string;
  readonly description?: string;
  readonly status?: string;
}

async function edit(slug: string, options: EditOptions): Promise<void> {
  const { name, description, status } = options;
  const changes = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(status !== undefined && { status }),
  };
  const changed = Object.keys(changes);
  if (changed.length === 0)
    throw new UsageError('There is nothing to change: give --name, --description or --status.');
  const answer = await connect(options).send<One<Preset>>({
    method: 'PATCH',
    path: presetPath(slug),
    body: JSON.stringify(changes),
  });
  printResponse(answer, options, () => `Changed ${changed.join(', ')} of ${slug}.`);
}
