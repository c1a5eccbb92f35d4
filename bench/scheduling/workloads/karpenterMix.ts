import type { DecisionSettings } from '../../../shared/model/clusterSnapshot.ts'
import type { InstanceType } from '../../../shared/model/instanceType.ts'
import type { Pod } from '../../../shared/model/pod.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { GIB } from '../../../test/builders/resources.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import { FAKE_ZONES, fakeTypes } from '../catalogs/fakeTypes.ts'
import { kwokTypes } from '../catalogs/kwokTypes.ts'
import type { Workload, WorkloadInput } from '../workload.ts'
import { diversePods, genericPods, wishfulPods } from './karpenterPods.ts'
import { widePods } from './widePods.ts'

/** Limits far above the need of any workload, as integers that are exact. */
const LIMITS = { cpu: 10_000_000_000, memory: 5_000_000 * GIB }
const DIVERSE = {
  '1': 1,
  '50': 50,
  '100': 100,
  '500': 500,
  '1k': 1_000,
  '2k': 2_000,
  '5k': 5_000,
  '10k': 10_000,
  '20k': 20_000,
  '100k': 100_000,
}
const GENERIC = { '500': 500, '5k': 5_000, '50k': 50_000 }
const QUICK = ['kb-diverse-500', 'kb-diverse-1k', 'kb-generic-500']

/** The inputs of Karpenter's scheduling benchmark, and the widest of its end-to-end loads. */
export const KARPENTER_MIX: readonly Workload[] = [
  ...Object.entries(DIVERSE).map(([size, count]) => ({
    name: `kb-diverse-${size}`,
    about: `${count} pods in five parts: plain, zone spread, host spread, zone affinity, host anti-affinity; 400 types`,
    isQuick: QUICK.includes(`kb-diverse-${size}`),
    build: () => onPool(fakeTypes(), diversePods(count)),
  })),
  ...Object.entries(GENERIC).map(([size, count]) => ({
    name: `kb-generic-${size}`,
    about: `${count} plain pods of 30 shapes; 400 types`,
    isQuick: QUICK.includes(`kb-generic-${size}`),
    build: () => onPool(fakeTypes(), genericPods(count)),
  })),
  wishful('kb-pref-4k-respect', 'Respect'),
  wishful('kb-pref-4k-ignore', 'Ignore'),
  {
    name: 'kwok-wide',
    about: '30 deployments, 1,000 pods, zone spread on all, six of them also apart by host; 144 types below 32 CPUs',
    isQuick: true,
    build: () =>
      onPool(
        kwokTypes().filter((type) => type.cpus < 32),
        widePods(),
      ),
  },
]

function wishful(name: string, preferencePolicy: DecisionSettings['preferencePolicy']): Workload {
  return {
    name,
    about: `4,000 pods of one shape with three wishes, preferences: ${preferencePolicy}; 400 types`,
    isQuick: true,
    build: () => onPool(fakeTypes(), wishfulPods(4_000, FAKE_ZONES[0]), { preferencePolicy }),
  }
}

/** Returns a cluster with one pool without requirements or taints. */
export function onPool(types: readonly InstanceType[], pod: readonly Pod[], settings: Partial<DecisionSettings> = {}): WorkloadInput {
  return { loaded: snapshot({ types, settings, objects: { nodePool: [nodePool({ limits: LIMITS })], pod } }) }
}
