/** Clusters in which the place of one pod decides where others can go: a choice that suits one pod can refuse another for ever. */
import { nodePool } from '../builders/nodePool.ts'
import { dependentSpreads, ratioOfKinds, weightedPools } from '../generators/dependentSpreads.ts'
import { prepaid } from '../generators/prepaid.ts'
import { sharedHosts } from '../generators/sharedHosts.ts'
import type { World } from './world.ts'

/** Pools of this seed have a place for any number of spread pods, and first fit alone finds none for most of them. */
const SEED = 2

export const DEPENDENT_WORLDS: readonly World[] = [
  {
    name: 'dependent-spreads',
    about: 'spreads over three labels for every forty pods, and pools of several weights that sell some combinations of the labels',
    build: (count) => dependentSpreads(SEED, { pods: count, deployments: Math.max(1, Math.floor(count / 40)), hasWeights: true }),
  },
  {
    name: 'dependent-spread',
    about: 'spreads over three labels for all pods, and a heavier pool on demand',
    build: (count) => weightedPools(count, 10),
  },
  {
    name: 'ratio-of-kinds',
    about: 'a spread over a label that stands for on-demand once and for spot four times, and a heavier pool on demand',
    build: (count) => ratioOfKinds(count, 10),
  },
  { name: 'shared-hosts', about: 'a required affinity by host name for every four pods', build: (count) => sharedHosts(count, 4) },
  { name: 'prepaid', about: 'three machines that are prepaid, at the price on demand', build: prepaid },
  {
    name: 'dependent-mixture',
    about: 'half of the pods with dependent spreads and half in groups that share a machine, and a pool for the groups alone',
    build: (count) => {
      const half = Math.max(1, Math.floor(count / 2))
      const [spread, shared] = [weightedPools(half, 10), sharedHosts(half, 2)]
      const nodePools = [...spread.objects.nodePool, nodePool({ name: 'plain' })]
      return { ...spread, objects: { ...spread.objects, nodePool: nodePools, pod: [...spread.objects.pod, ...shared.objects.pod] } }
    },
  },
]
