import { useLocation } from 'wouter';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { passRequest } from '../../features/request/passed-request.ts';
import { versionToRequest } from '../../features/request/version-to-request.ts';

/** Opens the form for a new preset with the content of a version. */
export function useDuplicate(): (version: PresetVersionDetails) => void {
  const [, navigate] = useLocation();
  return (version) => navigate('/new', passRequest(versionToRequest(version), version.dialect));
}
