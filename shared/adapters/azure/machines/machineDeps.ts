import type { VmSizeName } from '../../../model/ids.ts'
import type { InstanceType } from '../../../model/instanceType.ts'
import type { AbortSignalLike, Clock } from '../../../ports/clock.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { ClusterConfig } from '../../../wire/clusterConfig.ts'
import type { ArmClients } from '../clients.ts'
import type { ImagePin } from '../images/imageVersions.ts'
import type { DiskFacts } from '../sizes/osDisk.ts'
import type { FreshPools } from './freshPools.ts'
import type { KeptInterfaces } from './keptInterfaces.ts'

export type SizeFacts = Pick<InstanceType, 'family' | 'cpus'> & {
  readonly zones: readonly string[]
  readonly disk: DiskFacts
}

/** The facts of a size in the list of sizes. Undefined if the list was never fetched or does not have the size. */
export interface SizeLookup {
  sizeFacts(size: VmSizeName, signal: AbortSignalLike): Promise<SizeFacts | undefined>
}

/** The dependencies of the calls on machines. */
export type MachineDeps = {
  readonly config: ClusterConfig
  readonly clients: ArmClients
  readonly pinImage: ImagePin
  readonly sizes: SizeLookup
  readonly kept: KeptInterfaces
  readonly pools: FreshPools
  readonly clock: Clock
  readonly telemetry: Telemetry
}
