import type { Issue } from '../errors.ts';
import { patternProblem } from '../text/pattern.ts';
import { findTextIssues } from '../text/storable-text.ts';

/** The settings of a workspace's content log. */
export interface ContentLogSettings {
  readonly isEnabled: boolean;
  /** The share of calls that are logged. */
  readonly samplingRate: number;
  /** Regular expressions; what they match is replaced before anything is stored. */
  readonly redactionPatterns: readonly string[];
  readonly retentionDays: number;
  /** The size of what is stored of one call. */
  readonly bytesMax: number;
}

/** The fields that are undefined stay as they are. */
export type ContentLogChange = {
  readonly [Field in keyof ContentLogSettings]?: ContentLogSettings[Field] | undefined;
};

export const defaultContentLog: ContentLogSettings = {
  isEnabled: false,
  samplingRate: 1,
  redactionPatterns: [],
  retentionDays: 30,
  bytesMax: 262_144,
};

/** The issues that a JSON schema cannot express. */
export function contentLogIssues({ redactionPatterns }: ContentLogChange): readonly Issue[] {
  return (redactionPatterns ?? []).flatMap((pattern, index) => {
    const path = `/redaction_patterns/${index}`;
    const message = patternProblem(pattern);
    return message === undefined
      ? findTextIssues(pattern, JSON.stringify(pattern), path)
      : [{ path, message }];
  });
}

/**
 * Reads stored settings; what they lack has its default. Equal texts give the same object, because
 * every cached key of a workspace has one.
 */
export function parseContentLog(json: string | null): ContentLogSettings {
  if (json === null) return defaultContentLog;
  const known = parsed.get(json);
  if (known !== undefined) return known;
  if (parsed.size >= parsedMax) parsed.clear();
  const settings: ContentLogSettings = { ...defaultContentLog, ...JSON.parse(json) };
  parsed.set(json, settings);
  return settings;
}

const parsed = new Map<string, ContentLogSettings>();
const parsedMax = 1_000;
