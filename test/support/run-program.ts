import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { format } from 'node:util';
import { vi } from 'vitest';

/**
 * Runs a TypeScript program in this process and returns its output. In a process of its own it
 * would take half a second of CPU time to load the SDK that it uses.
 */
export async function runProgram(
  code: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  // In the checkout, so that it finds the SDKs, and with a new name, because modules run only once.
  const file = new URL(`.program-${randomUUID()}.ts`, import.meta.url);
  writeFileSync(file, code);
  let output = '';
  const print = (...values: unknown[]) => {
    output += `${format(...values)}\n`;
  };
  const log = vi.spyOn(console, 'log').mockImplementation(print);
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    output += String(chunk);
    return true;
  });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    await import(file.href);
    return output;
  } finally {
    vi.unstubAllEnvs();
    write.mockRestore();
    log.mockRestore();
    rmSync(file);
  }
}
