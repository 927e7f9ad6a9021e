import type { Issue } from '../../../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { parsePointer } from '../../../../src/core/json/json-pointer.ts';
import { Notice } from '../../components/notice.tsx';
import { fieldPath } from '../request/field-path.ts';

/** More do not help to decide. */
const shownMax = 5;

interface UpstreamIssueNoticeProps {
  readonly issues: readonly Issue[];
  /** The request with the issues, which has the names of its functions. */
  readonly request: JsonObject | undefined;
}

/** Names what upstreams are likely to reject, before somebody saves it. */
export function UpstreamIssueNotice({ issues, request }: UpstreamIssueNoticeProps) {
  const more = issues.length - shownMax;
  return (
    <Notice kind="warning" title="Upstreams are likely to reject this">
      <ul className="stack-1">
        {issues.slice(0, shownMax).map(({ path, message }) => (
          <li key={path}>
            <Place path={path} request={request} /> {message}
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </Notice>
  );
}

/** People know a function by its name, not by its position. */
function Place({ path, request }: { readonly path: string; readonly request: JsonObject | undefined }) {
  const [list, position, ...rest] = parsePointer(path);
  const tool =
    list === 'tools' && Array.isArray(request?.tools) ? request.tools[Number(position)] : undefined;
  const name = functionName(tool);
  if (name === undefined) return <code>{fieldPath(path)}</code>;
  const inside = rest[0] === 'function' ? rest.slice(1) : rest;
  return (
    <>
      Function "{name}": <code>{inside.join('.')}</code>
    </>
  );
}

/** Chat completions nest it. */
function functionName(tool: unknown): string | undefined {
  if (!isJsonObject(tool)) return undefined;
  const { name } = isJsonObject(tool.function) ? tool.function : tool;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
