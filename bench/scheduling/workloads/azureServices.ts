import { readFileSync } from 'node:fs'
import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod, pods } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { AZURE_SIZES, azureDaemons, azureTypes, isGeneralPurpose, OPENB_PODS } from '../catalogs/azureTypes.ts'
import { createRandom } from '../random.ts'
import type { Workload, WorkloadInput } from '../workload.ts'

export const CPUS = [0.05, 0.1, 0.1, 0.2, 0.25, 0.5, 0.5, 1, 1, 2, 4]
export const MEBIBYTES = [64, 128, 128, 256, 512, 512, 1024, 1024, 2048, 4096, 8192, 16384]
const SERVICES = 300
/** With this seed, after this many drawn numbers, the services are those of the published bound. */
const SEED = 7
const DRAWN_BEFORE = 10_000
/** Larger pods fit no size of the catalog. */
const LARGEST = { milliCpu: 64_000, mebibytes: 256_000 }

/** Services on the sizes of eastus that most clusters use, on demand, without topology. */
export const AZURE_SERVICES: readonly Workload[] = [
  {
    name: 'az-micro-300',
    about: '300 synthetic services with Zipf-like replicas, small pods; 503 sizes of eastus, on demand',
    needs: AZURE_SIZES,
    isQuick: true,
    build: () => onAzure(microServices()),
  },
  {
    name: 'az-openb-cpu',
    about: 'the pods of the openb trace that ask for no GPU; 503 sizes of eastus, on demand',
    needs: OPENB_PODS,
    build: () => onAzure(openbPods(({ gpus }) => gpus === 0)),
  },
  {
    name: 'az-openb-all',
    about: 'all pods of the openb trace, their GPUs left out; 503 sizes of eastus, on demand',
    needs: OPENB_PODS,
    build: () => onAzure(openbPods(() => true)),
  },
]

export function onAzure(pending: readonly Pod[]): WorkloadInput {
  const onDemand = { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] } as const
  return {
    loaded: snapshot({
      types: azureTypes(isGeneralPurpose),
      objects: { nodePool: [nodePool({ template: { requirements: [onDemand] } })], daemonSet: azureDaemons(), pod: pending },
    }),
  }
}

function microServices(): readonly Pod[] {
  const random = createRandom(SEED)
  for (let drawn = 0; drawn < DRAWN_BEFORE; drawn++) random.next()
  return Array.from({ length: SERVICES }, (_, index) => {
    const [cpus, mebibytes] = [random.pick(CPUS), random.pick(MEBIBYTES)]
    const replicas = Math.max(1, Math.round(1.5 / (random.next() + 0.004)))
    return pods(replicas, { name: `service-${index}`, labels: { app: `service-${index}` }, cpus, memoryGib: mebibytes / 1024 })
  }).flat()
}

function openbPods(isWanted: (row: { readonly gpus: number }) => boolean): readonly Pod[] {
  const [, ...rows] = readFileSync(OPENB_PODS, 'utf8').trim().split('\n')
  return rows.flatMap((row) => {
    const [name = '', ...numbers] = row.split(',')
    const [milliCpu = 0, mebibytes = 0, gpus = 0] = numbers.slice(0, 3).map(Number)
    const fits = milliCpu <= LARGEST.milliCpu && mebibytes <= LARGEST.mebibytes
    return fits && isWanted({ gpus }) ? [pod({ name, cpus: milliCpu / 1000, memoryGib: mebibytes / 1024 })] : []
  })
}
