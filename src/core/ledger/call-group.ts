/**
 * The values that calls are counted by. All calls with equal values form one group, which is stored
 * once: a call and the rows that count it only refer to it.
 */
export interface CallGroup {
  readonly organizationId: string;
  readonly workspaceId: string;
  /** Null for a session. */
  readonly keyId: string | null;
  /** The owner of the key, or the person who is signed in. */
  readonly userId: string;
  /** Null if the call names no preset, or the draft of one that does not exist yet. */
  readonly presetId: string | null;
  /** As the preset was called at that time. */
  readonly presetSlug: string | null;
  /** Null without a preset, and for a draft. */
  readonly version: number | null;
  /** How the version was chosen; null without a preset. */
  readonly selection: Selection | null;
  /** The label that chose the version; null if none did. */
  readonly label: string | null;
  /** The model that the last upstream was asked for; null if none was named. */
  readonly model: string | null;
  /** The last upstream tried; null if none was. */
  readonly upstream: string | null;
  /** For a relayed call, its endpoint, such as `embeddings`. */
  readonly dialect: string;
  readonly status: number;
  readonly purpose: Purpose;
}

/** How versions are chosen, and how that reads. */
export const selections = {
  live: 'Live version',
  version: 'Version in the model name',
  label: 'Label',
  draft: 'Draft',
} as const;
export type Selection = keyof typeof selections;

/** Runs of the workbench are not production traffic, but they cost as much. */
export const purposes = { call: 'Calls of apps', workbench: 'Workbench runs' } as const;
export type Purpose = keyof typeof purposes;

/** Something that usage can be grouped and filtered by. */
export interface Dimension<Field extends string = string> {
  readonly field: Field;
  readonly type: FieldType;
  readonly label: string;
  /**
   * As a filter of calls: an option of the CLI and a parameter in addresses of the dashboard.
   * Undefined if there is none.
   */
  readonly filter?: string;
  /** The values, if they are few, and how each reads. */
  readonly values?: Readonly<Record<string, string>>;
  /** Display names of id values, and the response field that holds them. */
  readonly names?: { readonly kind: 'keys' | 'presets' | 'users' | 'workspaces'; readonly field: string };
}

type FieldType = 'uuid' | 'text' | 'integer';

/**
 * The fields of a group as the API names them, in the order in which filters are offered. Storage,
 * queries and filters follow from this table.
 */
export const groupDimensions = {
  preset: {
    field: 'presetId',
    type: 'uuid',
    label: 'Preset',
    filter: 'preset',
    names: { kind: 'presets', field: 'preset_slug' },
  },
  preset_version: { field: 'version', type: 'integer', label: 'Version', filter: 'version' },
  label: { field: 'label', type: 'text', label: 'Label', filter: 'label' },
  selection: {
    field: 'selection',
    type: 'text',
    label: 'Version chosen by',
    filter: 'selection',
    values: selections,
  },
  model: { field: 'model', type: 'text', label: 'Model', filter: 'model' },
  api_key_id: {
    field: 'keyId',
    type: 'uuid',
    label: 'API key',
    filter: 'key',
    names: { kind: 'keys', field: 'api_key_name' },
  },
  user: {
    field: 'userId',
    type: 'text',
    label: 'Person',
    filter: 'person',
    names: { kind: 'users', field: 'user_email' },
  },
  upstream: { field: 'upstream', type: 'text', label: 'Upstream', filter: 'upstream' },
  /** OpenRouter's name of it. */
  provider: { field: 'upstream', type: 'text', label: 'Provider' },
  dialect: { field: 'dialect', type: 'text', label: 'Dialect', filter: 'dialect' },
  status: { field: 'status', type: 'integer', label: 'Status', filter: 'status' },
  purpose: { field: 'purpose', type: 'text', label: 'Purpose', filter: 'purpose', values: purposes },
  workspace: {
    field: 'workspaceId',
    type: 'uuid',
    label: 'Workspace',
    filter: 'workspace',
    names: { kind: 'workspaces', field: 'workspace_name' },
  },
} as const satisfies Readonly<Record<string, Dimension<keyof CallGroup>>>;

type GroupDimension = (typeof groupDimensions)[keyof typeof groupDimensions];

/** The stored fields of a group. */
export const groupTypes: Readonly<Record<keyof CallGroup, FieldType>> = {
  organizationId: 'uuid',
  presetSlug: 'text',
  ...(Object.fromEntries(Object.values(groupDimensions).map(({ field, type }) => [field, type])) as Record<
    GroupDimension['field'],
    FieldType
  >),
};
