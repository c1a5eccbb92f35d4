/** Clusters with many running pods, nodes or claims. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { DEFAULT_MACHINE_NAMES, instanceNameOf, nodeClaimName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { ago, hence, MINUTE, SECOND } from '../builders/clock.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { nameOf, podsOf } from './podWorlds.ts'
import { demanding, inZone, onHost, selecting, spreadOver, TYPES, times, type World, ZONES } from './world.ts'

function hostOf(index: number) {
  return instanceNameOf(nodeClaimName(`default-${index}`), DEFAULT_MACHINE_NAMES)
}

type Shapes = { readonly running?: (index: number) => PodShape; readonly waiting: (index: number) => PodShape }

/** One node for every ten pending pods. Each node has a label of its own and runs one pod. */
function withMachines(count: number, { running = () => ({}), waiting }: Shapes): ClusterSnapshot {
  const machines = count / 10
  const labelsOf = (index: number) => ({ [LABEL.zone]: ZONES[index % 3] ?? '', machine: `machine-${index}` })
  return snapshot({
    types: TYPES,
    objects: {
      node: times(machines, (index) => node({ claim: `default-${index}`, meta: { labels: labelsOf(index) } })),
      nodeClaim: times(machines, (index) => nodeClaim({ name: `default-${index}` })),
      pod: [
        ...times(machines, (index) => pod({ cpus: 2, ...running(index), name: `old-${index}`, nodeName: hostOf(index) })),
        ...podsOf(count, waiting),
      ],
    },
  })
}

export const CLUSTER_WORLDS: readonly World[] = [
  {
    name: 'pinned',
    about: 'machines with labels of their own, and pods that each ask for one of them',
    build: (count) => withMachines(count, { waiting: (index) => ({ nodeSelector: { machine: `machine-${Math.floor(index / 10)}` } }) }),
  },
  {
    name: 'nearly-full',
    about: 'machines with labels of their own, and pods with tolerations of their own that all look at each',
    build: (count) =>
      withMachines(count, { waiting: (index) => ({ cpus: 1.9, tolerations: [{ key: 'for', operator: 'Equal', value: `pod-${index}` }] }) }),
  },
  {
    name: 'repelled',
    about: 'pods that run, each with a rule of its own that keeps some pod that waits away',
    build: (count) =>
      withMachines(count, {
        running: (index) => ({ podAntiAffinity: demanding(onHost(selecting({ app: `app-${index}` }))) }),
        waiting: (index) => ({ labels: { app: `app-${index}` } }),
      }),
  },
  {
    name: 'repelled-by-all',
    about: 'pods that run, each with a rule of its own that keeps every pod that waits out of its zone',
    build: (count) =>
      withMachines(count, {
        running: (index) => ({
          podAntiAffinity: demanding(inZone(selecting({}, { key: 'old', operator: 'NotIn', values: [`${index}`] }))),
          labels: { old: 'all' },
        }),
        waiting: (index) => ({ labels: { app: `app-${index}` } }),
      }),
  },
  {
    name: 'counted',
    about: 'pods that run and pods that wait, with a spread constraint of their own for every ten',
    build: (count) =>
      withMachines(count, {
        running: (index) => ({ labels: { app: `app-${index}` } }),
        waiting: (index) => {
          const labels = { app: `app-${Math.floor(index / 10)}` }
          return { labels, topologySpread: [spreadOver(LABEL.zone, selecting(labels)), spreadOver('machine', selecting(labels))] }
        },
      }),
  },
  {
    name: 'promised',
    about: 'a promise of an earlier decision for each pod',
    build: (count) => ({
      ...withMachines(count, { waiting: () => ({ cpus: 0.01 }) }),
      nominations: times(count, (index) => ({
        pod: pod({ name: nameOf(index) }).uid,
        claim: nodeClaimName(`default-${Math.floor(index / 20)}`),
        until: hence(MINUTE),
      })),
    }),
  },
  {
    name: 'moving',
    about: 'machines that end, with twenty pods on each that must go elsewhere',
    build: (count) => {
      const machines = times(count / 20, (index) => index)
      return snapshot({
        types: TYPES,
        objects: {
          node: machines.map((index) =>
            node({
              claim: `default-${index}`,
              capacity: resources(64, 256, { pods: 110 }),
              allocatable: resources(63, 250, { pods: 110 }),
            }),
          ),
          nodeClaim: machines.map((index) => nodeClaim({ name: `default-${index}`, meta: { deletedAt: ago(SECOND) } })),
          pod: times(count, (index) =>
            pod({ name: nameOf(index), nodeName: hostOf(Math.floor(index / 20)), labels: { app: `app-${index}` } }),
          ),
        },
      })
    },
  },
]
