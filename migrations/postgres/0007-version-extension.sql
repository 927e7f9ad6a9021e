-- The `presetd` object of the captured request, without `designate`: note, variables, messages and policy.
ALTER TABLE preset_versions ADD COLUMN extension json;
