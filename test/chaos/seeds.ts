/** Every this many seeds one is played on the real control plane. */
const REAL_EVERY = 4
/** How many environments share the seeds of a kind of cluster. A seed mostly waits. */
const ENVIRONMENTS = { embedded: 3, real: 1 }
/** None, unless asked for: a seed takes a quiet machine half a minute, and a busy one several. */
const SEEDS = Number(process.env['CHAOS_SEEDS'] ?? 0)
const ONE = process.env['CHAOS_SEED']

export const WHY_NO_SEEDS = 'skipped: no seed of this kind of cluster is asked for; set CHAOS_SEEDS to how many, or CHAOS_SEED to one'

/** Seeds to play in one environment, counted from 1, of a kind of cluster: CHAOS_SEED names one, CHAOS_SEEDS says how many otherwise. */
export function seedsOn(kind: 'embedded' | 'real', environment: number): readonly number[] {
  const all = ONE === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONE)]
  const ofKind = all.filter((seed) => (seed % REAL_EVERY === 0 ? 'real' : 'embedded') === kind)
  return ofKind.filter((_, index) => index % ENVIRONMENTS[kind] === environment - 1)
}
