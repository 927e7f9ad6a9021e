import { statement } from './statement.ts';

/**
 * The id of the preset that has the name $2, as its slug or an alias, in the workspace $1. Null if
 * there is none.
 */
export const presetIdByName = `coalesce(
    (SELECT id FROM presets WHERE workspace_id = $1 AND slug = $2),
    (SELECT preset_id FROM preset_aliases WHERE workspace_id = $1 AND alias = $2)
  )`;

/** Finds a preset of any organization by a name, without its state. */
export const presetByNameStatement = statement(
  'preset-by-name',
  `SELECT id, slug FROM presets WHERE id = ${presetIdByName}`,
);
