import { Command, Option } from 'commander';

export function demoCommand(): Command {
  return (
    new Command('demo')
      .description(
        'Start a temporary server full of example workspaces, people, presets, versions and test cases, with models that answer offline. Everything is deleted on exit. PORT sets the port; other settings are ignored.',
      )
      // Accepted for compatibility: the demo always serves.
      .addOption(new Option('--serve').hideHelp())
      .action(demo)
  );
}

async function demo(): Promise<void> {
  // Loaded here: the help and completion scripts need neither a server nor its data.
  const { serveDemo } = await import('./serve-demo.ts');
  await serveDemo();
}
