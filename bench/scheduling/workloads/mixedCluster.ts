import type { InstanceType } from '../../../shared/model/instanceType.ts'
import { LABEL } from '../../../shared/model/labels.ts'
import type { NodePool } from '../../../shared/model/nodePool.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { AZURE_SIZES, AZURE_ZONES, azureDaemons, azureTypes } from '../catalogs/azureTypes.ts'
import { createRandom, type Random } from '../random.ts'
import type { Workload } from '../workload.ts'
import { loadedCluster, type NodeWish } from './loadedCluster.ts'
import { apart, selecting, spreadOver } from './shapes.ts'

const PODS = 100_000
const DEPLOYMENTS = 2_000
const NODES = 5_000
const PODS_PER_NODE = 8
const TEAMS = 16
const DAEMON_SETS = 6
const SEED = 2_000
const CPUS = [0.05, 0.1, 0.1, 0.25, 0.25, 0.5, 0.5, 1, 2, 4]
const MEBIBYTES = [64, 128, 256, 256, 512, 1024, 2048, 4096, 8192]
/** Largest deployment that keeps its pods apart: a larger one would need a node for every pod. */
const MOST_APART = 100
const GPU = 'nvidia.com/gpu'

type Deployment = { readonly shape: PodShape; readonly replicas: number; readonly isPlain: boolean }

/** A large cluster with a mix of everything, as a platform team would see it on its worst morning. */
export const MIXED_CLUSTER: Workload = {
  name: 'az-mixed-100k',
  about:
    '100,000 pending pods of 2,000 deployments (Zipf), 60 % spread, 10 % apart, 1 % GPU; 20 pools, 6 daemon sets, 5,000 nodes half full of 40,000 pods; eastus',
  needs: AZURE_SIZES,
  build: () => {
    const random = createRandom(SEED)
    const types = azureTypes()
    const deployments = deploymentsOf(random)
    const cluster = loadedCluster(nodesOf(random, types, deployments))
    const pending = deployments.flatMap(({ shape, replicas }) => replicated(shape, replicas))
    return {
      loaded: snapshot({
        types,
        objects: { ...cluster, nodePool: poolsOf(), daemonSet: azureDaemons(DAEMON_SETS), pod: [...cluster.pod, ...pending] },
      }),
    }
  },
}

/** Returns pools: one for each of sixteen teams, three of different weight for all, and one for GPUs. */
function poolsOf(): readonly NodePool[] {
  const amd64 = { key: LABEL.arch, operator: 'In', values: ['amd64'] } as const
  const noGpu = { key: 'karpenter.azure.com/sku-gpu-count', operator: 'Lt', values: ['1'] } as const
  const capacity = (...values: string[]) => ({ key: LABEL.capacityType, operator: 'In', values }) as const
  const teams = Array.from({ length: TEAMS }, (_, index) =>
    nodePool({
      name: `team-${index}`,
      template: {
        labels: { team: `team-${index}` },
        taints: index % 4 === 0 ? [{ key: 'team', value: `team-${index}`, effect: 'NoSchedule' }] : [],
        requirements: [amd64, noGpu, index % 3 === 0 ? capacity('on-demand') : capacity('on-demand', 'spot')],
      },
    }),
  )
  return [
    ...teams,
    nodePool({ name: 'spot', weight: 20, template: { requirements: [amd64, noGpu, capacity('spot')] } }),
    nodePool({ name: 'general', weight: 10, template: { requirements: [amd64, noGpu, capacity('on-demand')] } }),
    nodePool({ name: 'fallback', template: { requirements: [noGpu] } }),
    nodePool({
      name: 'gpu',
      template: { taints: [{ key: GPU, effect: 'NoSchedule' }], requirements: [amd64, capacity('on-demand')] },
    }),
  ]
}

/** Returns deployments with replicas by rank: the largest has thousands, and most have a dozen. */
function deploymentsOf(random: Random): readonly Deployment[] {
  const harmonic = Array.from({ length: DEPLOYMENTS }, (_, index) => 1 / (index + 1))
  const scale = PODS / harmonic.reduce((sum, share) => sum + share, 0)
  const sizes = harmonic.map((share) => Math.max(1, Math.floor(share * scale)))
  const missing = PODS - sizes.reduce((sum, size) => sum + size, 0)
  return sizes.map((size, index) => deploymentOf(random, index, index === 0 ? size + missing : size))
}

function deploymentOf(random: Random, index: number, replicas: number): Deployment {
  const labels = { app: `app-${index}` }
  const team = random.chance(0.3) ? `team-${random.int(TEAMS)}` : undefined
  const isGpu = random.chance(0.01) && replicas <= MOST_APART
  const isSpread = random.chance(0.6)
  const isApart = random.chance(0.1) && replicas <= MOST_APART
  const selector = selecting(labels)
  const zonal = spreadOver(LABEL.zone, selector, random.chance(0.7) ? 'DoNotSchedule' : 'ScheduleAnyway')
  const shape: PodShape = {
    name: `app-${index}`,
    labels,
    cpus: random.pick(CPUS),
    memoryGib: random.pick(MEBIBYTES) / 1024,
    nodeSelector: team === undefined || isGpu ? {} : { team },
    tolerations: isGpu ? [{ key: GPU, operator: 'Exists' }] : team === undefined ? [] : [{ key: 'team', operator: 'Equal', value: team }],
    topologySpread: isSpread ? [zonal] : [],
    ...(isApart ? { podAntiAffinity: apart(selector) } : {}),
  }
  const [{ requests }] = [pod(shape)]
  const withGpu = isGpu ? { ...shape, requests: { ...requests, [GPU]: 1 } } : shape
  return { shape: withGpu, replicas, isPlain: team === undefined && !isGpu && !isApart }
}

function nodesOf(random: Random, types: readonly InstanceType[], deployments: readonly Deployment[]): readonly NodeWish[] {
  const sizes = types.filter((type) => /^Standard_[DE](8|16)a?s_v[56]$/.test(type.name))
  const plain = deployments.filter((each) => each.isPlain)
  return Array.from({ length: NODES }, (_, index) => ({
    type: random.pick(sizes),
    zone: AZURE_ZONES[index % AZURE_ZONES.length] ?? '',
    nodePool: 'general',
    pods: Array.from({ length: PODS_PER_NODE }, () => ({ ...random.pick(plain).shape, cpus: 0.5, memoryGib: 2 })),
  }))
}

function replicated(shape: PodShape, count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, index) => pod({ ...shape, name: `${shape.name}-${index}` }))
}
