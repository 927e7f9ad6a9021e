import type { PresetVersion } from '../../../src/client/preset-answers.ts';

export function VersionDiff({ from, to }: { readonly from: PresetVersion; readonly to: PresetVersion }) {
  return (
    <p>
      Version {from.version} → {to.version}
    </p>
  );
}
