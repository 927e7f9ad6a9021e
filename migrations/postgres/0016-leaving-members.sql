-- Members lose every way to sign in when they leave: the next owner of the address must not inherit
-- one. A trigger, because older servers remove members, too, and do not know accounts.
CREATE FUNCTION end_sign_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
  DELETE FROM sign_in_links WHERE user_id = OLD.user_id AND organization_id = OLD.organization_id;
  IF NOT EXISTS (SELECT 1 FROM memberships WHERE user_id = OLD.user_id) THEN
    DELETE FROM passwords WHERE user_id = OLD.user_id;
    DELETE FROM identities WHERE user_id = OLD.user_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER memberships_end_sign_in AFTER DELETE ON memberships
  FOR EACH ROW EXECUTE FUNCTION end_sign_in();
