import { useMemo } from 'react';
import { isJsonObject, type JsonObject } from '../../../../src/core/json-object.ts';
import { asObject } from '../../../../src/core/loose-json.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { checkRequestText } from '../../features/request/check-request.ts';
import { declareVariable, undeclaredNames } from '../../features/request/variables.ts';

interface PlaceholderNoticeProps {
  readonly text: string;
  /** The text as last parsed, after a pause in typing. */
  readonly body: JsonObject;
  readonly dialect: Dialect;
  /** The user has chosen to keep names in braces as text. */
  readonly isKept: boolean;
  readonly onDeclare: (text: string) => void;
  readonly onKeep: () => void;
}

const namesMax = 5;

/**
 * Offers to declare names in braces. Without any variable, calls send the braces as they are, which a
 * prompt about templates may need; with one, the server rejects names that are not declared.
 */
export function PlaceholderNotice(props: PlaceholderNoticeProps) {
  const { text, body, dialect, isKept, onDeclare, onKeep } = props;
  const names = useMemo(() => undeclaredNames(body, dialect), [body, dialect]);
  const canKeep = !isJsonObject(asObject(body.presetd).variables);
  const [first, ...others] = names;
  if (first === undefined || (isKept && canKeep)) return null;
  const declareAll = () => {
    // The text may be newer than the body, and not valid for a moment.
    if (checkRequestText(text).kind !== 'valid') return;
    onDeclare(names.reduce((changed, name) => declareVariable(changed, name, { type: 'string' }), text));
  };
  return (
    <Notice
      kind="warning"
      title={
        <>
          {names.slice(0, namesMax).map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <code>{`{{${name}}}`}</code>
            </span>
          ))}
          {names.length > namesMax && ` and ${names.length - namesMax} more`}
          {others.length === 0 ? ' is not declared' : ' are not declared'}
        </>
      }
      actions={
        <>
          <Button isSmall onClick={declareAll}>
            {others.length === 0 ? `Declare ${first}` : 'Declare all'}
          </Button>
          {canKeep && (
            <Button isSmall variant="quiet" onClick={onKeep}>
              Keep as text
            </Button>
          )}
        </>
      }
    >
      {canKeep
        ? 'Calls send the braces as they are. Declare variables to let each call pass its own values.'
        : 'Every name in braces must be a variable once one is declared.'}
    </Notice>
  );
}
