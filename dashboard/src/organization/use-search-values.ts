// The list of presets still asks for it here; this goes once it does not.
export { useSearchValues } from '../parts/use-search-values.ts';
