import { endOrphan } from '../../shared/flows/sweep/endOrphan.ts'
import type { Instance } from '../../shared/model/instance.ts'
import { Fault, problem } from '../../shared/model/problem.ts'
import type { EpochMs } from '../../shared/model/units.ts'
import type { DownCluster } from './downCluster.ts'

/** One step towards the end of a machine that no claim owns, for as long as the drain has time. Fails with what holds it. */
export async function stepOrphan(cluster: DownCluster, instance: Instance, now: EpochMs, signal: AbortSignal): Promise<void> {
  const end = await endOrphan(cluster, instance, { now }, signal)
  if (end.kind === 'drains') throw new Fault(`end machine ${instance.name}, which has no nodeclaim`, problem('DISRUPTION.PDB', end.message))
}
