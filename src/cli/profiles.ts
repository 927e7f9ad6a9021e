import { Argument, Command } from 'commander';
import { type Profiles, readProfiles, withCurrent, writeProfiles } from '../config/profiles.ts';
import { systemClock } from '../core/clock.ts';
import { requireProfile } from './connection.ts';
import { parseProfile } from './options.ts';
import { print } from './ui/output.ts';
import { formatTable, optionalColumn } from './ui/table.ts';
import { describeExpiry } from './ui/text.ts';

/** `presetd login` creates profiles and `presetd logout` deletes them. */
export function profileCommand(): Command {
  return new Command('profile')
    .description('Choose between the servers that you have signed in to with "presetd login"')
    .addCommand(listCommand())
    .addCommand(switchCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('List your profiles; * marks the one that commands use')
    .action(() => print(renderProfiles(readProfiles(), systemClock())));
}

function switchCommand(): Command {
  return new Command('use')
    .description('Make a profile the one that commands use')
    .addArgument(new Argument('<name>', 'Name of the profile').argParser(parseProfile))
    .action(switchProfile);
}

function switchProfile(name: string): void {
  const profiles = readProfiles();
  const { url } = requireProfile(profiles, name);
  writeProfiles(withCurrent(profiles, name));
  print(`Commands now use profile ${name} (${url}).`);
}

function renderProfiles({ current, profiles }: Profiles, now: string): string {
  if (profiles.length === 0) return 'No profiles. "presetd login" creates one.';
  const rows = profiles.map(({ name, url, email, expiresAt, workspace }) => [
    name === current ? '*' : '',
    name,
    url,
    email ?? 'unknown',
    workspace?.slug ?? '',
    describeExpiry(expiresAt, now),
  ]);
  return formatTable(
    ['', 'NAME', optionalColumn('SERVER'), optionalColumn('EMAIL', 1), 'WORKSPACE', 'KEY'],
    rows,
  );
}
