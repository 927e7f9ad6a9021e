import type { Issue } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json-object.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import { nearestName } from '../../../core/text/nearest-name.ts';
import { dialectOf } from '../../dialects.ts';
import { fieldKind } from '../../known-fields.ts';
import { findAboveLimits, prepareLimits } from './limits.ts';
import type { Policy } from './policy.ts';

/**
 * Finds what the schema of a policy cannot express, and where the preset's own config exceeds the
 * limits. The paths start at the request.
 */
export function checkPolicy(
  { locked = [], limits = {} }: Policy,
  config: JsonObject,
  dialect: Dialect,
): readonly Issue[] {
  const lockIssues = locked.flatMap((name, index) => {
    const problem = locked.indexOf(name) < index ? 'repeats a field' : lockProblem(name, dialect);
    return problem === undefined ? [] : [{ path: `/presetd/policy/locked/${index}`, message: problem }];
  });
  const limitIssues = findAboveLimits(config, prepareLimits(limits)).map(({ path, max }) => ({
    path,
    message: `must be at most ${max}, by the limits in presetd.policy`,
  }));
  return [...lockIssues, ...limitIssues];
}

function lockProblem(name: string, dialect: Dialect): string | undefined {
  const reason = fieldKind(name, dialect);
  if (reason === 'captured') return undefined;
  if (reason === 'system_prompt' || name === 'system_prompt')
    return 'must name a field of the config; to lock the system prompt, set "system_prompt": "lock" in the policy';
  const captured = Object.entries(dialectOf[dialect].request.fields).filter(
    ([, kind]) => kind === 'captured',
  );
  const nearest = nearestName(
    name,
    captured.map(([known]) => known),
  );
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return `must name a field that ${dialect} presets save${hint}`;
}
