/** One seed of this many is played on the real control plane. */
const REAL_EVERY = 4
/** The number of environments that share the seeds of a kind of cluster. A seed mostly waits. */
const ENVIRONMENTS = { embedded: 3, real: 1 }
/** The number of seeds, 0 by default: a seed takes half a minute on a quiet machine and several minutes on a busy one. */
const SEEDS = Number(process.env['CHAOS_SEEDS'] ?? 0)
const ONE = process.env['CHAOS_SEED']

export const WHY_NO_SEEDS = 'skipped: no seed of this kind of cluster is asked for; set CHAOS_SEEDS to how many, or CHAOS_SEED to one'

/** The seeds for one environment of a kind of cluster. Environments count from 1. CHAOS_SEED names one seed, otherwise CHAOS_SEEDS is the number. */
export function seedsOn(kind: 'embedded' | 'real', environment: number): readonly number[] {
  const all = ONE === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(ONE)]
  const ofKind = all.filter((seed) => (seed % REAL_EVERY === 0 ? 'real' : 'embedded') === kind)
  return ofKind.filter((_, index) => index % ENVIRONMENTS[kind] === environment - 1)
}
