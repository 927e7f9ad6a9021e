/**
 * The word people use for a role. The API says `org:admin` for members of the organization and
 * `admin` for members of a workspace; an unknown role is returned as is.
 */
export function roleName(role: unknown): string {
  return String(role).replace(/^org:/, '');
}
