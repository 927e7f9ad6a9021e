/** A path of the document with these names in the places of its parameters. */
export function pathWith(path: string, nameOf: (kind: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => nameOf(kindOf(path, parameter)));
}

/** What a parameter of a path names; an `id` is that of what stands before it. */
export function kindOf(path: string, parameter: string): string {
  if (parameter !== 'id') return parameter;
  return path.includes('/workspaces/') ? 'workspace' : 'member';
}
