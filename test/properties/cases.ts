/**
 * How many random cases the properties try, and which. `PROPERTY_CASES=1000` tries this number, and `PROPERTY_CASES=x4` four times the usual number.
 * `PROPERTY_FIRST_SEED=17` begins with this seed: a failure names its seed. The workflow `properties` tries more each night.
 */
const asked = process.env['PROPERTY_CASES'] ?? 'x1'
if (!/^x?[1-9]\d*$/.test(asked)) throw new Error(`PROPERTY_CASES is "${asked}"; make it a number such as 1000, or a multiple such as x4`)
const COUNT = Number(asked.replace('x', ''))

export const FIRST_SEED = Number(process.env['PROPERTY_FIRST_SEED'] ?? 1)
if (!Number.isSafeInteger(FIRST_SEED) || FIRST_SEED < 1) throw new Error('PROPERTY_FIRST_SEED must be a whole number of at least 1')

/** `usual`: the number of cases if nothing else is asked for. */
export function casesOf(usual: number): number {
  return asked.startsWith('x') ? usual * COUNT : COUNT
}

/** As many seeds, one after the other. */
export function seedsOf(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => FIRST_SEED + index)
}
