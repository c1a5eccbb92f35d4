/**
 * Property tests try the same random cases in each run, so that a failure comes from the current change. `PROPERTY_SEED=7` tries others, and
 * `PROPERTY_SEED=random` tries others each time. A failure names its seed.
 */
import fc from 'fast-check'

const USUAL = '1'

const asked = process.env['PROPERTY_SEED'] ?? USUAL
if (asked !== 'random' && !/^\d+$/.test(asked)) throw new Error(`PROPERTY_SEED is "${asked}"; make it a number or "random"`)
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked) })
