import type { Dialect, PresetStatus } from './preset.ts';

/** A preset from an export, with some or all of its versions. */
export interface ImportedPreset {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly statusUpdatedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The total number of versions. A large preset is sent in several requests. */
  readonly versionCount: number;
  readonly designatedVersion: number;
  readonly labels: ReadonlyMap<string, number>;
  /** Consecutive. */
  readonly versions: readonly ImportedVersion[];
}

export interface ImportedVersion {
  readonly version: number;
  readonly dialect: Dialect;
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly createdAt: string;
}

/** `ahead` and `conflict` mean that nothing was imported; the message says why. */
export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'ahead' | 'conflict';

export interface ImportResult {
  readonly slug: string;
  readonly outcome: ImportOutcome;
  readonly versionsAdded: number;
  readonly message?: string;
}
