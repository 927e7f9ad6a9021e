-- Words of first name, last name and e-mail address, as core/words.ts splits them. Users are shared by organizations, but
-- words are stored per membership: a search in one organization reads no row of another.
CREATE TABLE member_words (
  user_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  word TEXT NOT NULL,
  PRIMARY KEY (user_id, organization_id, word),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX member_words_by_word ON member_words (organization_id, word, user_id);

-- Members whose words are missing or outdated. Triggers add rows here, so that members added or renamed by older servers,
-- which do not write words, are indexed too. A row may outlive its membership.
CREATE TABLE unindexed_members (
  organization_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (organization_id, user_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER memberships_unindexed AFTER INSERT ON memberships BEGIN
  INSERT INTO unindexed_members VALUES (NEW.organization_id, NEW.user_id) ON CONFLICT DO NOTHING;
END;

-- Every indexed member has at least one word, so member_words lists all organizations to update.
CREATE TRIGGER users_unindexed AFTER UPDATE OF email, first_name, last_name ON users BEGIN
  INSERT INTO unindexed_members
  SELECT DISTINCT organization_id, user_id FROM member_words WHERE user_id = NEW.id
  ON CONFLICT DO NOTHING;
END;

-- Organizations from before the index. The server lists their members above in the background, by id: all at once, a million
-- of them would keep members from being added for seconds.
CREATE TABLE unindexed_organizations (
  organization_id TEXT PRIMARY KEY NOT NULL,
  -- Members up to this one are listed or indexed.
  after_user_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO unindexed_organizations SELECT id, '' FROM organizations;
