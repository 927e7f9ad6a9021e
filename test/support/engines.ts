/** The databases that presetd supports. */
export type Engine = 'sqlite' | 'postgres';

/** The engines to test on: both, unless PRESETD_TEST_ENGINES selects one. */
export const engines: readonly Engine[] = (process.env.PRESETD_TEST_ENGINES ?? 'sqlite,postgres')
  .split(',')
  .map((name) => {
    const engine = name.trim();
    if (engine === 'sqlite' || engine === 'postgres') return engine;
    throw new Error(`PRESETD_TEST_ENGINES must list sqlite, postgres or both, not "${name}"`);
  });

/** For tests of behavior above the storage ports, which does not depend on the engine. */
export const anyEngine: Engine = engines[0] ?? 'sqlite';

/** For tests of values that PostgreSQL rejects and SQLite accepts, such as U+0000. */
export const strictestEngine: Engine = engines.at(-1) ?? 'sqlite';
