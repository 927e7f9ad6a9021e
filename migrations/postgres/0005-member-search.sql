-- Writers wait until the triggers exist; readers do not. Servers lock these tables in the same order.
LOCK TABLE users, memberships IN SHARE ROW EXCLUSIVE MODE;

-- Words of first name, last name and e-mail address, as core/words.ts splits them. Users are shared by organizations, but
-- words are stored per membership: a search in one organization reads no row of another.
CREATE TABLE member_words (
  user_id text NOT NULL,
  organization_id uuid NOT NULL,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (user_id, organization_id, word),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);

CREATE INDEX member_words_by_word ON member_words (organization_id, word, user_id);

-- Members whose words are missing or outdated. Triggers add rows here, so that members added or renamed by older servers,
-- which do not write words, are indexed too. A row may outlive its membership: a foreign key would make a rename fail when
-- another organization removes the same person at that moment.
CREATE TABLE unindexed_members (
  organization_id uuid NOT NULL,
  user_id text NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);

CREATE FUNCTION mark_new_members_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_members SELECT organization_id, user_id FROM added ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER memberships_unindexed AFTER INSERT ON memberships
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION mark_new_members_unindexed();

-- Every indexed member has at least one word, so member_words lists all organizations to update.
CREATE FUNCTION mark_renamed_member_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unindexed_members
  SELECT DISTINCT organization_id, user_id FROM member_words WHERE user_id = NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;

CREATE TRIGGER users_unindexed AFTER UPDATE OF email, first_name, last_name ON users
  FOR EACH ROW EXECUTE FUNCTION mark_renamed_member_unindexed();

-- Organizations from before the index. The server lists their members above in the background, by id: all at once, a million
-- of them would keep members from being added for seconds.
CREATE TABLE unindexed_organizations (
  organization_id uuid PRIMARY KEY,
  -- Members up to this one are listed or indexed.
  after_user_id text NOT NULL
);

INSERT INTO unindexed_organizations SELECT id, '' FROM organizations;
