import { LABEL } from '../../../shared/model/labels.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { AZURE_SIZES, AZURE_ZONES, azureDaemons, azureTypes } from '../catalogs/azureTypes.ts'
import { createRandom } from '../random.ts'
import type { Workload } from '../workload.ts'
import { loadedCluster } from './loadedCluster.ts'

const POOLS = 63
const NODES = 51
const ARRIVING = 200
const SEED = 63

/** Each team has a pool of its own, by label and taint. Every pool may use any size of the region. */
export const MANY_POOLS: Workload = {
  name: 'inc-pools-63',
  about: '200 pods of 63 teams arrive; a pool a team with every size of eastus AKS can use, 51 nodes',
  needs: AZURE_SIZES,
  build: () => {
    const types = azureTypes()
    const common = types.find((type) => type.name === 'Standard_D4as_v5')
    const cluster = loadedCluster(
      common === undefined
        ? []
        : Array.from({ length: NODES }, (_, index) => ({
            type: common,
            zone: AZURE_ZONES[index % AZURE_ZONES.length] ?? '',
            nodePool: `team-${index}`,
            labels: { team: `team-${index}` },
            pods: [{ cpus: 3, memoryGib: 6, labels: { app: `old-${index}` } }],
          })),
    )
    return {
      loaded: snapshot({
        types,
        objects: { ...cluster, daemonSet: azureDaemons(), nodePool: Array.from({ length: POOLS }, (_, index) => poolOf(`team-${index}`)) },
      }),
      arrivals: (event) => {
        const random = createRandom(SEED + event)
        return Array.from({ length: ARRIVING }, (_, index) => {
          const team = `team-${random.int(POOLS)}`
          return pod({
            name: `event-${event}-${index}`,
            cpus: random.pick([0.25, 0.5, 1, 2]),
            memoryGib: random.pick([0.5, 1, 2, 8]),
            nodeSelector: { team },
            tolerations: [{ key: 'team', operator: 'Equal', value: team }],
          })
        })
      },
    }
  },
}

function poolOf(team: string) {
  return nodePool({
    name: team,
    template: {
      labels: { team },
      taints: [{ key: 'team', value: team, effect: 'NoSchedule' }],
      requirements: [
        { key: LABEL.arch, operator: 'In', values: ['amd64'] },
        { key: LABEL.capacityType, operator: 'In', values: ['on-demand', 'spot'] },
      ],
    },
  })
}
