import { readSettingsFile } from '../../settings-file/read-settings-file.ts';
import { toGatewaySettings } from './gateway-settings.ts';
import { type GatewaySettings, isBaseUrl } from './upstream.ts';
import { findRuleIssues } from './upstream-file-rules.ts';
import { upstreamFile } from './upstream-file-schema.ts';

export interface UpstreamFileResult {
  /** Undefined if there are problems. */
  readonly settings: GatewaySettings | undefined;
  readonly problems: readonly string[];
}

/**
 * Parses and validates the upstream file, and fills in the defaults. `name` is the file name to
 * show, `environment` holds the API keys.
 */
export function readUpstreamFile(
  text: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): UpstreamFileResult {
  const { value, problems } = readSettingsFile(text, name, {
    schema: upstreamFile,
    formats: { 'base-url': isBaseUrl },
    findRuleIssues: (file) => findRuleIssues(file, environment),
  });
  return { settings: value && toGatewaySettings(value, environment), problems };
}
