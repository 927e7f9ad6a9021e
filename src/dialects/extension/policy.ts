import { Type } from 'typebox';

export const policy = Type.Object({});
