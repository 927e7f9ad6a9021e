import type { Dialect } from '../../core/presets/preset.ts';
import { Type } from '../../core/type.ts';
import { dialectOf } from '../dialects.ts';
import { nullable } from '../schema/combinators.ts';
import { extensionRequest } from './extension/schema.ts';

/** The schema of a capture: a request of the dialect with what presetd adds to it. */
export function captureSchema(dialect: Dialect): Type.TObject {
  const { properties } = dialectOf[dialect].request.schema;
  return Type.Object({ ...properties, presetd: Type.Optional(nullable(extensionRequest)) });
}
