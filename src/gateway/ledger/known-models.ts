import type { CallTrace } from '../call.ts';

/**
 * Decides which calls are counted by their model. Clients can name any text as a model, and each
 * name would add rows to the sums for good.
 *
 * A name counts if it is in the upstream file, in the version of the preset that was called, or if
 * an upstream has answered with it. Of the latter, each process remembers some for each workspace:
 * some upstreams answer whatever the name is. Forgotten at a restart, a model is known again with
 * its next successful call.
 */
export class KnownModels {
  readonly #answered = new Map<string, Set<string>>();

  /** Whether to count a call by its model, which is known once the upstream answers with it. */
  isKnown(workspaceId: string, { exchange, preset }: Pick<CallTrace, 'exchange' | 'preset'>): boolean {
    const { model, upstream } = exchange?.candidate ?? {};
    if (exchange === undefined || model === undefined || upstream === undefined) return false;
    if (upstream.models.includes(model)) return true;
    const answered = this.#answered.get(workspaceId) ?? new Set<string>();
    const name = `${upstream.name} ${model}`;
    if (answered.has(name)) return true;
    const hasAnswered = exchange.isComplete || exchange.facts.model !== undefined;
    if (hasAnswered && answered.size < modelsMax) {
      this.#answered.set(workspaceId, answered.add(name));
      return true;
    }
    // A draft is the client's own text.
    const version = preset?.version;
    return version !== undefined && version.version !== 'draft' && names(version.configJson, model);
  }
}

/** In a workspace. OpenRouter has about 400. */
const modelsMax = 1_000;

/** Whether a config has this text as its model or a fallback. Parsing it would be slower. */
function names(configJson: string, model: string): boolean {
  return configJson.includes(JSON.stringify(model));
}
