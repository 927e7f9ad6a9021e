import { describe, expect, it } from 'vitest';
import { describeForm, fieldsOf, formType, parseForm, setFormModel } from './form-body.ts';

const type = 'multipart/form-data; boundary=b';

function form(...parts: readonly string[]): string {
  return `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
}

const field = (name: string, value: string) =>
  `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file =
  'Content-Disposition: form-data; name="file"; filename="a \\"b\\".mp3"\r\nContent-Type: audio/mpeg\r\n\r\n\0\r\n--\r\n';

const parse = (text: string, contentType = type) => parseForm(Buffer.from(text), contentType);

describe('a form', () => {
  it('returns its model and preset, and describes the rest', () => {
    const parsed = parse(
      form(field('model', 'whisper ö'), file, field('preset', ''), field('language', 'de')),
    );
    expect(fieldsOf(parsed)).toEqual({ model: 'whisper ö', preset: '' });
    expect(describeForm(parsed)).toEqual([
      { name: 'model', value: 'whisper ö' },
      { name: 'file', filename: 'a \\"b\\".mp3', bytes: 7 },
      { name: 'preset', value: '' },
      { name: 'language', value: 'de' },
    ]);
  });

  it.each([
    ['multipart/form-data; boundary="b"'],
    ['multipart/form-data; charset=utf-8; Boundary=b'],
    ['multipart/form-data;boundary=b; charset=utf-8'],
  ])('may have its boundary in %s', (contentType) => {
    expect(fieldsOf(parse(form(field('model', 'm')), contentType))).toEqual({ model: 'm' });
  });

  it.each([
    'Content-Disposition: form-data; name=model', // .NET
    'Content-Type: text/plain; charset=utf-8\r\ncontent-disposition: form-data; name="model"',
    'Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: 8bit', // Java
    'Content-Disposition:form-data;name="model"\r\nContent-Length: 1', // PHP
    'Content-Disposition: form-data; NAME="model"\r\nContent-Transfer-Encoding: Binary',
    'Content-Disposition: form-data; name="model"\r\ncontent-transfer-encoding: 7bit ',
  ])('may have the headers of any client: %j', (headers) => {
    expect(fieldsOf(parse(form(`${headers}\r\n\r\nm`)))).toEqual({ model: 'm' });
  });

  it.each([
    ['filename="a.mp3"; filename*=utf-8\'\'a.mp3', 'a.mp3'],
    ["filename*=utf-8''Z%C3%BCrich.mp3", "utf-8''Z%C3%BCrich.mp3"],
    ['filename=a.mp3', 'a.mp3'],
    ['filename="Zürich %22; name=model.mp3"', 'Zürich %22; name=model.mp3'],
  ])('may have a file with %s', (parameter, filename) => {
    const { parts } = parse(form(`Content-Disposition: form-data; name="file"; ${parameter}\r\n\r\nx`));
    expect(parts).toMatchObject([{ name: 'file', filename }]);
  });

  it('may have no parts, and up to 1,000', () => {
    expect(parse('--b--').parts).toEqual([]);
    expect(parse(form(...Array<string>(1_000).fill(field('a', 'b')))).parts).toHaveLength(1_000);
  });

  it('may have a part that is empty', () => {
    expect(fieldsOf(parse(form(field('model', ''))))).toEqual({ model: '' });
  });

  it.each([
    ["b'+.-", "b'+.-"],
    ['a b', '"a b"'],
    ['a:b', '"a:b"'],
    ['b'.repeat(70), 'b'.repeat(70)],
  ])('is sent with its boundary %s', (boundary, sent) => {
    const text = form(field('model', 'm')).replaceAll('--b', `--${boundary}`);
    const parsed = parse(text, `multipart/form-data; boundary="${boundary}"; boundary=c`);
    expect(formType(parsed)).toBe(`multipart/form-data; boundary=${sent}`);
    expect(fieldsOf(setFormModel(parsed, 'new'))).toEqual({ model: 'new' });
  });

  it.each([
    ['another model', form(field('model', 'old'), file), 'new', form(field('model', 'new'), file)],
    ['the same model', form(file, field('model', 'm')), 'm', form(file, field('model', 'm'))],
    ['no model', form(file, field('model', 'm')), undefined, form(file, field('model', 'm'))],
    [
      'a model instead of a preset',
      form(field('preset', 'p'), file),
      'm',
      form('content-disposition: form-data; name="model"\r\n\r\nm', file),
    ],
    [
      'a model instead of a preset at the end',
      form(field('model', ''), file, field('preset', 'p')),
      'm',
      form(field('model', 'm'), file),
    ],
    [
      'the same model, without a preset',
      form(field('preset', 'p'), field('model', 'm'), file),
      'm',
      form(field('model', 'm'), file),
    ],
    [
      'no other model, without a preset',
      form(field('model', 'm'), field('preset', 'p'), file),
      undefined,
      form(field('model', 'm'), file),
    ],
  ])('can be sent with %s, and keeps all other bytes', (_title, text, model, expected) => {
    const changed = setFormModel(parse(text), model);
    expect(changed.bytes.toString()).toBe(expected);
    expect(fieldsOf(changed)).toEqual(fieldsOf(parse(expected)));
  });

  it.each([
    ['', 'does not begin'],
    ['x', 'does not begin'],
    [`\r\n${form(field('model', 'm'))}`, 'does not begin'],
    ['--b', 'no closing boundary'],
    ['--b\r\n', 'no closing boundary'],
    [form(field('model', 'm')).replace('--b--', '--b'), 'no closing boundary'],
    ['--b\r\nx\r\n--b--', 'without headers'],
    [`--b \r\n${field('model', 'm')}\r\n--b--`, 'without headers'],
    [`--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n--b--`, 'without headers'],
    [form('X: y\r\n\r\nm'), 'one Content-Disposition'],
    [
      form(
        'Content-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="model"\r\n\r\nm',
      ),
      'one Content-Disposition',
    ],
    [form('X: y\nContent-Disposition: form-data; name="model"\r\n\r\nm'), 'malformed headers'],
    [form('Content-Disposition: form-data; name="a"\r\n\t; name="model"\r\n\r\nm'), 'malformed headers'],
    [form(' X: y\r\nContent-Disposition: form-data; name="model"\r\n\r\nm'), 'malformed headers'],
    [form('Content-Disposition: attachment; name="model"\r\n\r\nm'), 'one Content-Disposition'],
    [
      form('Content-Disposition: form-data; name="a"; name="model"\r\n\r\nm'),
      'malformed Content-Disposition',
    ],
    [form('Content-Disposition: form-data; name="mo\\del"\r\n\r\nm'), 'malformed Content-Disposition'],
    [form('Content-Disposition: form-data; name="a"; x="y"\r\n\r\nm'), 'malformed Content-Disposition'],
    [form("Content-Disposition: form-data; name*=utf-8''model\r\n\r\nm"), 'malformed Content-Disposition'],
    [form('Content-Disposition: form-data; filename="a"\r\n\r\nm'), 'without a name'],
    [`${form(field('a', 'b'))}--b\r\n${field('model', 'm')}\r\n--b--`, 'bytes after its end'],
    [form(field('model', 'a'), field('model', 'b')), '/model must occur once'],
    [form(field('preset', 'a'), field('preset', 'b')), '/preset must occur once'],
    [form('Content-Disposition: form-data; name="model"; filename="m"\r\n\r\nm'), '/model must be a text'],
    [form("Content-Disposition: form-data; name=preset; filename*=''m\r\n\r\nm"), '/preset must be a text'],
    [form('X: y\rz\r\nContent-Disposition: form-data; name="model"\r\n\r\nm'), 'malformed headers'],
    [form(field('Model', 'm')), '/Model'],
    [
      form('Content-Disposition: form-data; name="model"\r\nContent-Transfer-Encoding: base64\r\n\r\nbQ=='),
      '/model must be a text',
    ],
    [form(...Array<string>(1_001).fill(field('a', 'b'))), 'more than 1000 parts'],
  ])('a form that two parsers could read differently is rejected: $1', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', message: expect.stringContaining(message) }),
    );
  });

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'multipart/form-data; boundary="b "',
  ])('a form needs a valid boundary: %s', (contentType) => {
    expect(() => parse(form(field('model', 'm')), contentType)).toThrow('no valid boundary');
  });
});
