import { LABEL } from '../../../shared/model/labels.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { type PodShape, pod } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { FAKE_ZONES, fakeType, fakeTypes } from '../catalogs/fakeTypes.ts'
import { createRandom, type Random } from '../random.ts'
import type { Workload, WorkloadInput } from '../workload.ts'
import { type LoadedCluster, loadedCluster } from './loadedCluster.ts'
import { apart, selecting, spreadOver } from './shapes.ts'

const NODES = 5_000
const PODS_PER_NODE = 20
const DEPLOYMENTS = 2_000
const CPUS = [0.1, 0.25, 0.5]
const MEBIBYTES = [100, 256, 512, 1024]
const SEED = 11

/** Workloads in which a few pods arrive in a large cluster whose nodes are mostly full. */
export const ARRIVALS: readonly Workload[] = [1, 10, 100].map((count) => ({
  name: `inc-${count}`,
  about: `${count} pods arrive in a cluster of 5,000 nodes and 100,000 pods of 2,000 deployments; 60 % spread by zone, 10 % apart by host`,
  isQuick: count === 100,
  build: () => arriving(count),
}))

function arriving(count: number): WorkloadInput {
  const cluster = fullCluster(NODES)
  return {
    loaded: snapshot({ types: fakeTypes(), objects: { ...cluster, nodePool: [nodePool()] } }),
    arrivals: (event) => replicas(count, SEED + 1 + event, `event-${event}`),
  }
}

/** Returns nodes of 8 CPUs with 20 pods each, of random deployments. */
export function fullCluster(nodes: number): LoadedCluster {
  const random = createRandom(SEED)
  const type = fakeType(8)
  return loadedCluster(
    Array.from({ length: nodes }, (_, index) => ({
      type,
      zone: FAKE_ZONES[index % FAKE_ZONES.length] ?? '',
      pods: distinct(random, PODS_PER_NODE).map(replicaOf),
    })),
  )
}

/** Returns more replicas of the running deployments. */
export function replicas(count: number, seed: number, name: string): readonly Pod[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index) => pod({ ...replicaOf(random.int(DEPLOYMENTS)), name: `${name}-${index}` }))
}

/** Returns different deployments, so that a node has no two pods of one deployment. */
function distinct(random: Random, count: number): readonly number[] {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(random.int(DEPLOYMENTS))
  return [...chosen]
}

/** Returns the pod of a deployment, always the same for the same deployment. */
function replicaOf(deployment: number): PodShape {
  const labels = { app: `app-${deployment}` }
  const selector = selecting(labels)
  const decile = deployment % 10
  return {
    labels,
    cpus: CPUS[deployment % CPUS.length] ?? 0,
    memoryGib: (MEBIBYTES[(deployment >> 2) % MEBIBYTES.length] ?? 0) / 1024,
    ...(decile < 6 ? { topologySpread: [spreadOver(LABEL.zone, selector)] } : {}),
    ...(decile === 9 ? { podAntiAffinity: apart(selector) } : {}),
  }
}
