/**
 * Pretty-prints text that is known to be valid JSON, as `JSON.stringify(value, null, 2)` would.
 * Only whitespace changes. Parsing and serializing would round large numbers and reorder numeric
 * keys.
 */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  const breakLine = () => parts.push('\n', '  '.repeat(depth));
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    switch (character) {
      case '"': {
        const end = endOfString(text, position);
        parts.push(text.slice(position, end + 1));
        position = end;
        break;
      }
      case '{':
      case '[': {
        // An empty object or array stays on one line.
        const next = skipSpace(text, position + 1);
        parts.push(character);
        if (text.charAt(next) === (character === '{' ? '}' : ']')) {
          parts.push(text.charAt(next));
          position = next;
          break;
        }
        depth += 1;
        breakLine();
        break;
      }
      case '}':
      case ']':
        depth -= 1;
        breakLine();
        parts.push(character);
        break;
      case ',':
        parts.push(character);
        breakLine();
        break;
      case ':':
        parts.push(': ');
        break;
      default:
        if (!isSpace(character)) parts.push(character);
    }
  }
  return parts.join('');
}

/** The position of the closing quotation mark of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
  return end;
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (isSpace(text.charAt(position))) position += 1;
  return position;
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
