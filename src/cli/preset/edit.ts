import { type Command, Option } from 'commander';
import type { One } from '../../client/answers.ts';
import type { Preset } from '../../client/preset-answers.ts';
import { type ApiOptions, apiCommandWithJson, connect, printResponse } from '../api-command.ts';
import { UsageError } from '../command-error.ts';
import { slugArgument } from './argument.ts';
import { presetPath } from './path.ts';

/** Changes the preset itself. Its versions cannot be changed; `push` adds a new one. */
export function editCommand(): Command {
  return apiCommandWithJson('edit')
    .description('Change the name, description or status of a preset')
    .addArgument(slugArgument())
    .option('--name <text>', 'Display name')
    .option('--description <text>', 'Description; "" removes it')
    .addOption(
      new Option('--status <status>', 'Whether the preset can be called').choices(['active', 'disabled']),
    )
    .action(edit);
}

interface EditOptions extends ApiOptions {
  readonly name?: string;
  readonly description?: string;
  readonly status?: string;
}

async function edit(slug: string, options: EditOptions): Promise<void> {
  const { name, description, status } = options;
  // Absent fields stay unchanged. The API removes a description with null, a shell has only "".
  const changes = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(status !== undefined && { status }),
  };
  const changed = Object.keys(changes);
  if (changed.length === 0) throw new UsageError('Nothing to change. Use --name, --description or --status.');
  const response = await connect(options).send<One<Preset>>({
    method: 'PATCH',
    path: presetPath(slug),
    body: JSON.stringify(changes),
  });
  printResponse(response, options, () => `Updated ${changed.join(', ')} of ${slug}.`);
}
