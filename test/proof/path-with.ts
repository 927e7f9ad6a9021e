/** Fills in the parameters of a documented path. */
export function pathWith(path: string, nameOf: (kind: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => nameOf(kindOf(path, parameter)));
}

/** The kind of object that a path parameter names. What an `id` names depends on the path. */
export function kindOf(path: string, parameter: string): string {
  if (parameter !== 'id') return parameter;
  if (path.includes('/models/')) return 'model';
  if (path.includes('/generation')) return 'generation';
  return path.includes('/workspaces/') ? 'workspace' : 'member';
}
