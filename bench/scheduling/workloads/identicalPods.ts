import { instanceType } from '../../../test/builders/instanceType.ts'
import { pods } from '../../../test/builders/pod.ts'
import type { Workload } from '../workload.ts'
import { onPool } from './karpenterMix.ts'

/** The benchmark of Cluster Autoscaler's estimator. Units of memory are MiB here. There is one type, without overhead. */
export const IDENTICAL_PODS: Workload = {
  name: 'ca-estimate-51k',
  about: '50,000 pods of 50m/100 and 1,000 of 95m/190 on nodes of 1,000m/5,000 with room for 100 pods: 2,595 nodes are the fewest',
  isQuick: true,
  build: () =>
    onPool(
      [instanceType({ name: 'estimate', cpus: 1, memoryGib: 5_000 / 1024, pods: 100, overhead: {}, price: 0.1, spotPrice: null })],
      [
        ...pods(50_000, { name: 'small', cpus: 0.05, memoryGib: 100 / 1024 }),
        ...pods(1_000, { name: 'large', cpus: 0.095, memoryGib: 190 / 1024 }),
      ],
    ),
}
