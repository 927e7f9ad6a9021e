import type { Page } from '../../client/answers.ts';
import { isMemberCountExact } from '../../client/member-count.ts';
import type { Member } from '../../client/organization-answers.ts';
import { renderKeyValueList } from '../key-value-list.ts';
import type { Paint } from '../paint.ts';
import { describePage, formatTable } from '../table.ts';

/** `search` is needed to tell whether the total is exact. */
export function renderMembers(page: Page<Member>, offset: number, search?: string): string {
  const rows = page.data.map((member) => [member.email, member.role, nameOf(member), member.id]);
  return [
    formatTable(['EMAIL', 'ROLE', 'NAME', 'ID'], rows),
    describePage(offset, rows.length, page.total_count, isMemberCountExact(page, offset, search)),
  ].join('\n');
}

export function renderMember(member: Member, paint: Paint): string {
  return renderKeyValueList(
    member.email,
    [
      ['name', nameOf(member)],
      ['role', member.role],
      ['id', member.id],
    ],
    paint,
  );
}

function nameOf({ first_name, last_name }: Member): string {
  return `${first_name} ${last_name}`.trim();
}
