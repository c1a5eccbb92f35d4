import { endOrphan } from '../../shared/flows/sweep/endOrphan.ts'
import type { Instance } from '../../shared/model/instance.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { DownCluster } from './downCluster.ts'

/**
 * Does one step towards the end of a machine without a claim. Repeated until the drain's time is over. Throws a Fault with what blocks the machine's
 * end.
 */
export async function stepOrphan(cluster: DownCluster, instance: Instance, now: EpochMs, signal: AbortSignal): Promise<void> {
  const end = await endOrphan(cluster, instance, { now }, signal)
  if (end.kind === 'drains') throw new Fault(`end machine ${instance.name}, which has no nodeclaim`, problem('DISRUPTION.PDB', end.message))
}
