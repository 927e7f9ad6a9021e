/** A path of the document with these names in the places of its parameters; `id` is that of what stands before it. */
export function pathWith(path: string, nameOf: (parameter: string) => string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) =>
    nameOf(parameter === 'id' ? (path.includes('/workspaces/') ? 'workspace' : 'member') : parameter),
  );
}
