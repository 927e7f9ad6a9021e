import { describe, expect, it } from 'vitest';
import { type GroupMapping, rolesOfGroups } from './group-roles.ts';

const admins: GroupMapping = { name: 'admins', role: 'org:admin', workspaces: {} };
const staff: GroupMapping = { name: 'staff', role: 'org:member', workspaces: { default: 'editor' } };
const prompts: GroupMapping = {
  name: 'prompts',
  role: undefined,
  workspaces: { default: 'viewer', marketing: 'admin' },
};
const writers: GroupMapping = { name: 'writers', role: undefined, workspaces: { marketing: 'editor' } };

describe('rolesOfGroups', () => {
  it.each<[title: string, GroupMapping[], groups: string[], role: string | undefined, workspaces: object]>([
    ['no mapping leaves everything as it is', [], ['admins'], undefined, {}],
    ['a mapped group gives its role', [admins], ['admins'], 'org:admin', {}],
    ['without a mapped group, people are members', [admins], ['other'], 'org:member', {}],
    ['without any group, people are members', [admins], [], 'org:member', {}],
    [
      'the highest role in the organization wins',
      [staff, admins],
      ['admins', 'staff'],
      'org:admin',
      { default: 'editor' },
    ],
    [
      'only workspaces are mapped: the role in the organization stays',
      [prompts],
      ['prompts'],
      undefined,
      { default: 'viewer', marketing: 'admin' },
    ],
    [
      'the highest role in a workspace wins',
      [writers, prompts, staff],
      ['writers', 'prompts', 'staff'],
      'org:member',
      { default: 'editor', marketing: 'admin' },
    ],
    [
      'mapped workspaces without a group are left',
      [prompts, writers],
      ['writers'],
      undefined,
      { default: undefined, marketing: 'editor' },
    ],
    ['names of groups are compared exactly', [admins], ['Admins', 'admins '], 'org:member', {}],
    [
      'a group listed twice counts once',
      [prompts],
      ['prompts', 'prompts'],
      undefined,
      { default: 'viewer', marketing: 'admin' },
    ],
  ])('%s', (_title, mappings, groups, role, workspaces) => {
    const roles = rolesOfGroups(mappings, groups);
    const given = Array.from(roles.workspaces, ([slug, inWorkspace]) => [slug, inWorkspace.role]);
    expect({ role: roles.role?.role, workspaces: Object.fromEntries(given) }).toEqual({ role, workspaces });
  });

  it('a role comes with the groups that give it, and no others', () => {
    const mappings = [admins, staff, prompts, writers, { ...writers, name: 'editors' }, writers];
    const roles = rolesOfGroups(mappings, ['writers', 'editors', 'staff', 'other']);
    expect(roles.role).toEqual({ role: 'org:member', groups: ['staff'] });
    expect(roles.workspaces.get('marketing')).toEqual({ role: 'editor', groups: ['writers', 'editors'] });
    expect(rolesOfGroups(mappings, []).role).toEqual({ role: 'org:member', groups: [] });
  });

  it('inherited properties are not workspaces', () => {
    const mapping = { name: 'a', role: undefined, workspaces: { tostring: 'viewer' } } as const;
    const other = { name: 'b', role: undefined, workspaces: {} } as const;
    expect(rolesOfGroups([mapping, other], ['b']).workspaces.get('tostring')?.role).toBeUndefined();
  });
});
