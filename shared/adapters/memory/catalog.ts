import type { QuotaUsages } from '../../model/askedCores.ts'
import type { InstanceType, LeftOutSizes } from '../../model/instanceType.ts'
import type { NodeVersions } from '../../model/node.ts'
import type { NodeClass } from '../../model/nodeClass.ts'
import type { Problem } from '../../model/problem.ts'
import type { EpochMs } from '../../model/units.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Connection } from './connection.ts'

/** The instance types of the region; a test may replace them. */
export type CatalogTruth = {
  instanceTypes: (nodeClass: NodeClass) => readonly InstanceType[]
  sizeProblem: (nodeClass: NodeClass) => Problem | undefined
  nodeVersions: (nodeClass: NodeClass) => NodeVersions
  quota: QuotaUsages | undefined
  leftOutSizes: LeftOutSizes
  fetchedAt: EpochMs | undefined
  sizes: number
}

export function createMemoryCatalog(truth: CatalogTruth, clock: Clock, connection: Connection): Catalog {
  return {
    instanceTypes: (nodeClass, signal) => connection.read('catalog.instanceTypes', 'catalog', signal, () => truth.instanceTypes(nodeClass)),
    sizeProblem: (nodeClass, signal) => connection.read('catalog.sizeProblem', 'catalog', signal, () => truth.sizeProblem(nodeClass)),
    nodeVersions: (nodeClass, signal) => connection.read('catalog.nodeVersions', 'catalog', signal, () => truth.nodeVersions(nodeClass)),
    quota: (signal) => connection.read('catalog.quota', 'catalog', signal, () => truth.quota),
    leftOutSizes: (signal) => connection.read('catalog.leftOutSizes', 'catalog', signal, () => truth.leftOutSizes),
    refresh: (signal) =>
      connection.write('catalog.refresh', 'catalog', signal, () => {
        truth.fetchedAt = clock.now()
        return { sizes: truth.sizes, prices: truth.sizes, fetchedAt: truth.fetchedAt }
      }),
  }
}
