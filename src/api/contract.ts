import { workspaceOperations } from './workspaces.ts';

/** Every operation that is declared here, by its route. */
export const contract = { ...workspaceOperations };
