import type { Page } from '../../client/answers.ts';
import type { Member } from '../../client/organization-answers.ts';
import { renderFacts } from '../facts.ts';
import type { Paint } from '../paint.ts';
import { describePage, formatTable } from '../table.ts';

export function renderMembers({ data, total_count }: Page<Member>, offset: number): string {
  const rows = data.map((member) => [member.email, member.role, nameOf(member), member.id]);
  return [
    formatTable(['EMAIL', 'ROLE', 'NAME', 'ID'], rows),
    describePage(offset, rows.length, total_count),
  ].join('\n');
}

export function renderMember(member: Member, paint: Paint): string {
  return renderFacts(
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
