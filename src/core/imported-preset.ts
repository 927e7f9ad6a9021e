import type { Dialect, PresetStatus } from './preset.ts';

/** A preset as another server told it, with some or all of its versions. */
export interface ImportedPreset {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly statusUpdatedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** How many it has, here or in what follows. */
  readonly versionCount: number;
  readonly designatedVersion: number;
  readonly labels: ReadonlyMap<string, number>;
  /** One after the other. */
  readonly versions: readonly ImportedVersion[];
}

export interface ImportedVersion {
  readonly version: number;
  readonly dialect: Dialect;
  readonly configJson: string;
  readonly systemPrompt: string | null;
  readonly createdAt: string;
}

export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'ahead' | 'conflict';

export interface ImportResult {
  readonly slug: string;
  readonly outcome: ImportOutcome;
  readonly versionsAdded: number;
  readonly message?: string;
}
