import type { Clock } from '../clock.ts';
import type { Right } from '../organization/right.ts';
import { assertNoIssues } from '../request-issues.ts';
import { nameProblem } from '../text/name.ts';
import { textProblem } from '../text/storable-text.ts';
import { assertAlias } from './alias.ts';
import { assertSettableLabel } from './label.ts';
import { assertPrecondition, type Precondition } from './precondition.ts';
import type { Alias, Label, Preset, PresetState } from './preset.ts';
import { changeOf, type PresetRequest, unknownPreset } from './preset-access.ts';
import {
  addAlias,
  archive,
  edit,
  moveLabel,
  type PresetEdit,
  type PresetRule,
  removeAlias,
  removeLabel,
  restore,
} from './preset-change.ts';
import type { PresetStore } from './preset-storage.ts';

export interface ChangeRequest extends PresetRequest {
  readonly precondition: Precondition;
}

interface Changed {
  readonly preset: Preset;
  readonly before: PresetState;
  readonly after: PresetState;
}

export type PresetEditor = ReturnType<typeof createPresetEditor>;

/**
 * Every change of a preset except adding versions. Each method throws `not_found` if there is no
 * such preset, `precondition_failed` if the precondition does not hold and `conflict` if another
 * preset has a name that the change adds. The rules themselves are in `preset-change.ts`.
 */
export function createPresetEditor(presets: PresetStore, clock: Clock) {
  async function change(request: ChangeRequest, right: Right, rule: PresetRule): Promise<Changed> {
    const { address, actor } = changeOf(request, right, clock);
    let states: Omit<Changed, 'preset'> | undefined;
    const changed = await presets.change(address, actor, (current) => {
      if (current === undefined) throw unknownPreset(address.slug);
      assertPrecondition(current, request.precondition);
      const change = rule(current, clock());
      states = { before: current, after: change?.next ?? current };
      return change;
    });
    if (changed === undefined || states === undefined) throw unknownPreset(address.slug);
    return { preset: changed.preset, ...states };
  }

  return {
    async edit(request: ChangeRequest, changes: PresetEdit): Promise<Changed> {
      assertValidTexts(changes);
      return change(request, rightToEdit(changes), edit(changes));
    },
    async archive(request: ChangeRequest): Promise<Preset> {
      return (await change(request, 'release', archive)).preset;
    },
    async restore(request: ChangeRequest): Promise<Preset> {
      return (await change(request, 'release', restore)).preset;
    },
    async moveLabel(
      request: ChangeRequest,
      label: string,
      version: number,
    ): Promise<Changed & { readonly label: Label }> {
      assertSettableLabel(label);
      const changed = await change(request, 'write', moveLabel(label, version));
      const moved = changed.after.labels.get(label);
      if (moved === undefined) throw new Error('the label that was just set is missing');
      return { ...changed, label: moved };
    },
    async removeLabel(request: ChangeRequest, label: string): Promise<Preset> {
      assertSettableLabel(label);
      return (await change(request, 'write', removeLabel(label))).preset;
    },
    async addAlias(
      request: ChangeRequest,
      alias: string,
    ): Promise<{ readonly preset: Preset; readonly alias: Alias }> {
      assertAlias(alias);
      const { preset, after } = await change(request, 'write', addAlias(alias));
      const added = after.aliases.get(alias);
      if (added === undefined) throw new Error('the alias that was just added is missing');
      return { preset, alias: added };
    },
    async removeAlias(request: ChangeRequest, alias: string): Promise<Preset> {
      assertAlias(alias);
      // Calls may use the alias, and an editor could give it to another preset.
      return (await change(request, 'release', removeAlias(alias))).preset;
    },
  };
}

/** Changes that calls notice need more than the right to write. */
function rightToEdit({ designatedVersion, status, slug }: PresetEdit): Right {
  return (designatedVersion ?? status ?? slug) !== undefined ? 'release' : 'write';
}

/**
 * Checks what a JSON schema cannot express: names are single-line, and both engines can store the
 * text.
 */
function assertValidTexts({ name, description }: PresetEdit): void {
  const issues = [
    ...(name === undefined ? [] : [{ path: '/name', message: nameProblem(name) }]),
    ...(typeof description === 'string' ? [{ path: '/description', message: textProblem(description) }] : []),
  ].flatMap(({ path, message }) => (message === undefined ? [] : [{ path, message }]));
  assertNoIssues(issues);
}
