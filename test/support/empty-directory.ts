import { homedir } from 'node:os';

// A setup file of vitest.config.ts, which runs before each test file: commands that run in this
// process must not read the .env file of the checkout.
process.chdir(homedir());
