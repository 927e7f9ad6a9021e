import type { Wire } from './operation.ts';
import { workspaceOperations } from './workspaces.ts';

/** Every operation of the API, by its route. */
export const contract = { ...workspaceOperations };

export type Contract = typeof contract;
export type Route = keyof Contract;
export type WireOf<R extends Route> = Wire<Contract[R]>;
