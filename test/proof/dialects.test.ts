import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { isJsonObject, type JsonObject } from '../../src/core/json/json-object.ts';
import { parseExact } from '../../src/core/json/json-text.ts';
import { assertStorablePreset, assertVersionSize } from '../../src/core/presets/create-version.ts';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { findPresetsUsedAsModels } from '../../src/core/presets/preset-reference.ts';
import { assertNoIssues } from '../../src/core/request-issues.ts';
import { chatCompletionsRequest } from '../../src/dialects/chat-completions/schema.ts';
import { dialectOf } from '../../src/dialects/dialects.ts';
import { messagesRequest } from '../../src/dialects/messages/schema.ts';
import { applyPreset } from '../../src/dialects/presets/apply-preset.ts';
import { capturePreset } from '../../src/dialects/presets/capture-preset.ts';
import { findExtensionIssues } from '../../src/dialects/presets/extension/check-extension.ts';
import { type Policy, policy as policySchema } from '../../src/dialects/presets/extension/policy.ts';
import type { AppliedVersion } from '../../src/dialects/presets/prepared-preset.ts';
import { findUncapturedFields } from '../../src/dialects/presets/uncaptured-fields.ts';
import { recognizeDialect } from '../../src/dialects/recognize-dialect.ts';
import { findUsage, findUsageInText } from '../../src/dialects/response-usage.ts';
import { responsesRequest } from '../../src/dialects/responses/schema.ts';
import { adaptToUpstream } from '../../src/gateway/request/adapt-to-upstream.ts';
import { fieldNamesHeader } from '../../src/gateway/response/response-headers.ts';
import { upstreamKinds } from '../../src/gateway/upstreams/upstream.ts';
import { parseJsonBody } from '../../src/http/body/json-body.ts';
import { findSchemaError } from '../../src/http/validation/validation.ts';
import { anyJson, anyText, hostileNames, objectOf } from './any-json.ts';
import { capturedFields } from './captured-fields.ts';
import { mutated } from './mutated.ts';
import { logProgress } from './scale.ts';
import { valuesOf } from './schema-values.ts';
import { runs } from './seed.ts';

const requestsOf: Readonly<Record<Dialect, fc.Arbitrary<unknown>>> = {
  'chat-completions': valuesOf(chatCompletionsRequest as object),
  messages: valuesOf(messagesRequest as object),
  responses: valuesOf(responsesRequest as object),
};

/** Valid requests, valid requests with one mutation, known fields with any value, and any JSON. */
function anythingFor(dialect: Dialect): fc.Arbitrary<unknown> {
  const names = fc.constantFrom(...Object.keys(dialectOf[dialect].request.fields), ...hostileNames);
  const request = requestsOf[dialect];
  return fc.oneof(
    { weight: 4, arbitrary: request },
    { weight: 4, arbitrary: mutated(request) },
    { weight: 1, arbitrary: objectOf(fc.array(fc.tuple(names, anyJson), { maxLength: 6 })) },
    { weight: 1, arbitrary: anyJson },
  );
}

/** Requests that parse as a JSON object. */
function objectFor(dialect: Dialect): fc.Arbitrary<JsonObject> {
  return anythingFor(dialect).map(readLeniently).filter(isJsonObject);
}

function readLeniently(value: unknown): unknown {
  return orRejected(() => parseJsonBody(Buffer.from(JSON.stringify(value))).exactValue);
}

function assertValid(dialect: Dialect, value: unknown): void {
  const error = findSchemaError(dialectOf[dialect].request.schemaName, value);
  if (error !== undefined) throw error;
}

/** Captures a request in the same steps as the server does. Undefined if it is rejected. */
function capture(dialect: Dialect, text: string): AppliedVersion | undefined {
  return orRejected(() => {
    const { value, exactValue } = parseJsonBody(Buffer.from(text));
    assertValid(dialect, value);
    const captured = capturePreset(exactValue as object, dialect);
    assertNoIssues([...findPresetsUsedAsModels(captured.config), ...findExtensionIssues(captured, dialect)]);
    const configJson = JSON.stringify(captured.config);
    const extensionJson = captured.extension && JSON.stringify(captured.extension);
    const version = { dialect, configJson, systemPrompt: captured.systemPrompt, extensionJson };
    assertStorablePreset(captured, configJson, extensionJson);
    assertVersionSize(version);
    return version;
  });
}

/** Undefined if the request is rejected with a client error. Any other error is a defect. */
function orRejected<T>(attempt: () => T): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof PresetdError) return undefined;
    throw error;
  }
}

/** Versions without a `presetd` object, which must behave as in 0.6.0. */
function versionsOf(dialect: Dialect): fc.Arbitrary<AppliedVersion> {
  return requestsOf[dialect]
    .map((request) => capture(dialect, JSON.stringify({ ...(request as object), presetd: undefined })))
    .filter((version) => version !== undefined);
}

/** Any policy that a version in the dialect can have. */
function policiesOf(dialect: Dialect): fc.Arbitrary<Policy> {
  const locked = fc.uniqueArray(fc.constantFrom(...capturedFields[dialect]), { maxLength: 6 });
  const others = valuesOf(policySchema as object) as fc.Arbitrary<Policy>;
  return fc.tuple(others, locked).map(([policy, names]) => ({ ...policy, locked: names }));
}

function withPolicy(version: AppliedVersion, policy: Policy): AppliedVersion {
  return { ...version, extensionJson: JSON.stringify({ policy }) };
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
}

const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

/** The field that contains the system prompt. */
const promptField: Readonly<Record<Dialect, string>> = {
  'chat-completions': 'messages',
  messages: 'system',
  responses: 'instructions',
};

describe.each(dialects)('any %s request', (dialect) => {
  const { minimalConversation } = dialectOf[dialect].request;

  it('is captured or rejected, and saves only allowed fields', () => {
    let captured = 0;
    let total = 0;
    const count = () => `${captured} of ${total} captured`;
    fc.assert(
      fc.property(anythingFor(dialect), (request) => {
        total += 1;
        const text = JSON.stringify(request);
        const version = capture(dialect, text);
        if (version === undefined) return;
        captured += 1;
        const allowed = Object.entries(parseExact(text) as object).filter(
          ([name, value]) => capturedFields[dialect].has(name) && value !== null,
        );
        expect(version.configJson).toBe(JSON.stringify(Object.fromEntries(allowed)));
      }),
      runs(100, 40_000),
    );
    logProgress(`${dialect}: ${count()}`);
    // The generator must produce both valid and invalid requests.
    expect([captured > total / 4, captured < total, count()]).toEqual([true, true, count()]);
  });

  it('is usually captured if its schema allows it', () => {
    let captured = 0;
    const { numRuns = 0 } = runs(30, 10_000);
    fc.assert(
      fc.property(requestsOf[dialect], (request) => {
        if (capture(dialect, JSON.stringify(request)) !== undefined) captured += 1;
      }),
      runs(30, 10_000),
    );
    logProgress(`${dialect}: ${captured} of ${numRuns} valid requests captured`);
    expect(captured).toBeGreaterThan(numRuns / 2);
  });

  it('is captured as the same preset again after being applied to an empty request', () => {
    fc.assert(
      fc.property(versionsOf(dialect), (version) => {
        for (const empty of [{}, minimalConversation]) {
          const { body, droppedFields } = applyPreset(empty as JsonObject, dialect, version);
          expect(droppedFields).toEqual([]);
          const complete = { ...minimalConversation, ...body };
          assertValid(dialect, JSON.parse(JSON.stringify(complete)));
          const { config, systemPrompt } = capturePreset(complete, dialect);
          expect(JSON.stringify(config)).toBe(version.configJson);
          expect(systemPrompt).toBe(version.systemPrompt);
          expect(capture(dialect, JSON.stringify(complete))).toEqual(version);
        }
      }),
      runs(30, 15_000),
    );
  });

  it('renders any text verbatim, and is captured as the rendered text', () => {
    const values = fc.record({ first: anyText, second: anyText });
    fc.assert(
      fc.property(anyText, values, (prefix, variables) => {
        const text = prefix.replaceAll('{', '(');
        const extensionJson = JSON.stringify({
          variables: { first: { type: 'string' }, second: { type: 'string' } },
        });
        const systemPrompt = `${text}{{first}}-{{{second}}}`;
        const version: AppliedVersion = { dialect, configJson: '{"model":"m"}', systemPrompt, extensionJson };
        const { body } = applyPreset(minimalConversation, dialect, version, variables);
        const rendered = `${text}${variables.first}-${variables.second}`;
        const again = capturePreset({ ...minimalConversation, ...body }, dialect);
        expect(again.systemPrompt).toBe(rendered);
        expect(again.extension).toBeNull();
      }),
      runs(30, 10_000),
    );
  });

  it('does not crash dialect detection, field reports or usage extraction', () => {
    const { isBody } = dialectOf[dialect].errors;
    fc.assert(
      fc.property(anythingFor(dialect), anyText, (request, text) => {
        isBody(request);
        findUsage(request);
        findUsageInText(`${text}"usage":${JSON.stringify(request)}`);
        const value = readLeniently(request);
        if (!isJsonObject(value)) return;
        recognizeDialect(value);
        findUncapturedFields(value, dialect);
        expect(fieldNamesHeader([text, ...Object.keys(value)])).toMatch(/^[\x20-\x7e]*$/);
      }),
      runs(30, 10_000),
    );
  });

  it('expresses only concepts that are listed for its fields', () => {
    fc.assert(
      fc.property(objectFor(dialect), (request) => {
        for (const [name, parse] of Object.entries(dialectOf[dialect].concepts.parsers)) {
          const listed = dialectOf[dialect].concepts.fields
            .filter(([[field]]) => field === name)
            .flatMap(([, kinds]) => kinds);
          const parsed = Object.hasOwn(request, name) ? parse(request[name], name) : [];
          const kinds = parsed
            .map(({ kind }) => kind)
            .filter((kind) => kind !== 'field' && kind !== 'dialectSpecific');
          expect(kinds.filter((kind) => !listed.includes(kind))).toEqual([]);
        }
      }),
      runs(30, 10_000),
    );
  });

  it('is adapted to every kind of upstream without being changed', () => {
    fc.assert(
      fc.property(objectFor(dialect), (request) => {
        deepFreeze(request);
        for (const kind of upstreamKinds) {
          const { body, droppedFields } = adaptToUpstream(request, dialect, kind);
          expect(Object.keys(body).length).toBeLessThanOrEqual(Object.keys(request).length + 1);
          expect(droppedFields.filter((name) => typeof name !== 'string')).toEqual([]);
        }
      }),
      runs(30, 10_000),
    );
  });
});

describe.each(pairs)('a %s preset in a %s call', (from, to) => {
  it('is merged into any request without throwing or changing either', () => {
    fc.assert(
      fc.property(versionsOf(from), objectFor(to), objectFor(to), (version, request, other) => {
        const before = [JSON.stringify(request), JSON.stringify(version)];
        deepFreeze(request);
        deepFreeze(other);
        applyPreset(other, to, version);
        const applied = applyPreset(request, to, version);
        expect([JSON.stringify(request), JSON.stringify(version)]).toEqual(before);
        // A version is prepared once; the result must not depend on earlier requests.
        expect(JSON.stringify(applied)).toBe(JSON.stringify(applyPreset(request, to, { ...version })));
        for (const [name, value] of Object.entries(request))
          if (value !== null && name !== 'tools' && name !== 'messages')
            expect(JSON.stringify(Object.getOwnPropertyDescriptor(applied.body, name)?.value)).toBe(
              JSON.stringify(value),
            );
      }),
      runs(12, 5_000),
    );
  });

  it('adds only fields that the dialect of the call can save, and reports dropped ones', () => {
    fc.assert(
      fc.property(versionsOf(from), (version) => {
        const { body, droppedFields } = applyPreset({}, to, version);
        const config = JSON.parse(version.configJson);
        const allowed = new Set([...capturedFields[to], promptField[to]]);
        expect(Object.keys(body).filter((name) => !allowed.has(name))).toEqual([]);
        expect(body.model).toBe(config.model);
        const unknown = droppedFields.filter((name) => !Object.hasOwn(config, name.split('.', 1)[0] ?? name));
        expect(unknown).toEqual([]);
        // Numbers that JavaScript cannot represent are `rawJSON` objects, which must not leak.
        if (!JSON.stringify(version).includes('rawJSON'))
          expect(JSON.stringify(body)).not.toContain('rawJSON');
      }),
      runs(12, 5_000),
    );
  });

  it('gives the same bytes with a policy that allows everything as without one', () => {
    fc.assert(
      fc.property(versionsOf(from), objectFor(to), (version, request) => {
        const { policyFields, ...applied } = applyPreset(
          request,
          to,
          withPolicy(version, { system_prompt: 'replace' }),
        );
        expect(JSON.stringify(applied)).toBe(JSON.stringify(applyPreset(request, to, version)));
        expect(policyFields).toEqual([]);
      }),
      runs(12, 5_000),
    );
  });

  it('keeps its locked fields and its limits in any request, without changing the request', () => {
    fc.assert(
      fc.property(versionsOf(from), policiesOf(from), objectFor(to), (version, policy, request) => {
        deepFreeze(request);
        const restricted = withPolicy(version, policy);
        const applied = applyPreset(request, to, restricted);
        expect(JSON.stringify(applied)).toBe(JSON.stringify(applyPreset(request, to, { ...restricted })));
        const {
          max_tokens: tokensMax = Infinity,
          temperature = Infinity,
          n = Infinity,
        } = policy.limits ?? {};
        for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens'])
          expect(numberOf(applied.body[name])).toBeLessThanOrEqual(tokensMax);
        expect(numberOf(applied.body.temperature)).toBeLessThanOrEqual(temperature);
        expect(numberOf(applied.body.n)).toBeLessThanOrEqual(n);
        // A request that removes the tools also removes the choice among them.
        const plain = applyPreset({}, to, restricted).body;
        for (const name of policy.locked ?? [])
          if (capturedFields[to].has(name) && name !== 'tool_choice' && name !== 'parallel_tool_calls')
            expect(JSON.stringify(applied.body[name])).toBe(JSON.stringify(plain[name]));
      }),
      runs(12, 5_000),
    );
  });

  it('sends only its own system text if that is locked', () => {
    const { minimalConversation } = dialectOf[to].request;
    fc.assert(
      fc.property(versionsOf(from), requestsOf[to], (version, request) => {
        const { body, droppedFields } = applyPreset(
          request as JsonObject,
          to,
          withPolicy(version, { system_prompt: 'lock' }),
        );
        const isDropped = droppedFields.includes('system_prompt');
        expect(capturePreset({ ...minimalConversation, ...body }, to).systemPrompt).toBe(
          isDropped ? null : version.systemPrompt,
        );
      }),
      runs(12, 5_000),
    );
  });
});

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NEGATIVE_INFINITY;
}
