import { planLaunch } from '../../shared/engine/launch/planLaunch.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import { KINDS, type KindName, type MachineKind } from './kinds.ts'
import { wishOf } from './makeMachine.ts'
import type { SmokeCluster } from './smokeCluster.ts'

/** A disk of 128 GiB, an address and some traffic, in dollars for an hour of a machine. Above all list prices of the United States and Europe. */
const BESIDES = 0.05
/** A machine is there for about five minutes. This is the longest time that one is waited for. */
const HOURS = 0.25

export type SmokeCost = { readonly machines: number; readonly dollars: number | undefined; readonly text: string }

/**
 * What a run costs at most: a machine of each kind, one in place of the evicted one, and one to evict where the app makes it, on demand, for a
 * quarter of an hour each.
 */
export async function smokeCost(
  cluster: Pick<SmokeCluster, 'config' | 'catalog'>,
  { kinds, isThroughApp }: { readonly kinds: readonly KindName[]; readonly isThroughApp: boolean },
  now: EpochMs,
  signal: AbortSignal,
): Promise<SmokeCost> {
  const able = kinds.filter((kind) => {
    const { whyNot }: MachineKind = KINDS[kind]
    return whyNot?.(cluster.config) === undefined
  })
  const wanted: readonly KindName[] = [...able, 'default', ...(isThroughApp ? (['default'] as const) : [])]
  let sum: number | undefined = 0
  for (const kind of wanted) {
    const { claim, nodeClass } = wishOf(cluster, kind, { name: 'smoke-cost-1', run: 'cost00', now })
    const types = await cluster.catalog.instanceTypes(nodeClass, signal)
    const { candidates } = planLaunch(claim, types, [], now)
    const price = candidates.find(({ choice }) => choice.capacityType === 'on-demand')?.choice.price
    sum = sum === undefined || price === undefined ? undefined : sum + (price / 1_000_000 + BESIDES) * HOURS
  }
  const count = `${wanted.length} ${wanted.length === 1 ? 'machine' : 'machines'}`
  return {
    machines: wanted.length,
    dollars: sum,
    text: `${count} one after the other (${sum === undefined ? 'price unknown' : `at most $${sum.toFixed(2)}`})`,
  }
}
