import type { ToolLoop } from '../support/tool-loop.ts';

/** The tools that the SDKs run, in TypeScript and in test/python/other_dialects.py. */
export const weatherLoop: ToolLoop = {
  calls: [
    { name: 'get_weather', input: { city: 'Zürich 🏔' }, result: 'Rain in Zürich 🏔 ☔' },
    { name: 'get_time', input: { zone: 'CET', hour12: false }, result: '12:30 in CET, false' },
  ],
  text: 'Regen in Zürich ☔🌧 um 12:30.',
};
