import { Command } from 'commander';
import { loadClientConfig, readEnvironment } from '../config.ts';
import { type ApiAnswer, type ApiClient, createApiClient } from './api-client.ts';
import { indentJson } from './indent-json.ts';
import { printable } from './printable.ts';

export interface ApiOptions {
  readonly workspace?: string;
  readonly json?: true;
}

/** A command that talks to the server of PRESETD_URL. */
export function apiCommand(name: string): Command {
  return new Command(name).option(
    '--workspace <id>',
    'for a management key: the workspace (default: the default one)',
  );
}

/** One that shows what the server answers: to people, or as it came. */
export function apiAnswerCommand(name: string): Command {
  return apiCommand(name).option('--json', 'print the answer of the server as JSON');
}

export function connect({ workspace }: ApiOptions): ApiClient {
  return createApiClient(loadClientConfig(readEnvironment()), workspace);
}

/** Prints the answer as JSON where that is asked for, else what is made of it for people. */
export function printAnswer<Content>(
  answer: ApiAnswer<Content>,
  { json }: ApiOptions,
  render: (content: Content) => string,
): void {
  if (json) printJson(answer);
  else print(render(answer.content));
}

/** What could steer a terminal stands in strings only, and its escape means the same there. */
export function printJson({ text }: { readonly text: string }): void {
  print(printable(indentJson(text)));
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
