/** Clusters with many pools, sizes, DaemonSets or volumes. */
import { objectKey, uid } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { instanceType, offering } from '../builders/instanceType.ts'
import { nodePool } from '../builders/nodePool.ts'
import { snapshot } from '../builders/snapshot.ts'
import { podsOf } from './podWorlds.ts'
import { demanding, onHost, selecting, TYPES, times, type World, ZONES } from './world.ts'

const IN_A_ZONE = 'disk.csi.azure.com'

export const POOL_WORLDS: readonly World[] = [
  {
    name: 'weights',
    about: 'a pool for every four pods, each of a weight of its own, and pods that each ask for one of them',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: times(count / 4, (index) =>
            nodePool({ name: `pool-${index}`, weight: 1 + index, template: { labels: { pool: `${index}` } } }),
          ),
          pod: podsOf(count, (index) => ({ nodeSelector: { pool: `${Math.floor(index / 4)}` } })),
        },
      }),
  },
  {
    name: 'teams',
    about: 'a pool for every twenty pods, which are for it alone by taint and label',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: times(count / 20, (index) => poolOfTeam(`team-${index}`)),
          pod: podsOf(count, (index) => {
            const team = `team-${Math.floor(index / 20)}`
            return { nodeSelector: { team }, tolerations: [{ key: 'team', operator: 'Equal', value: team }] }
          }),
        },
      }),
  },
  {
    name: 'tolerated-pools',
    about: 'fifty pools with a taint each, and pods that tolerate three of them each, in as many ways as there are',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: times(TAINTED_POOLS, (index) =>
            nodePool({ name: `pool-${index}`, template: { taints: [{ key: `key-${index}`, effect: 'NoSchedule' }] } }),
          ),
          pod: podsOf(count, (index) => ({ tolerations: threeOf(index).map((key) => ({ key: `key-${key}`, operator: 'Exists' })) })),
        },
      }),
  },
  {
    name: 'open-label',
    about: 'a pool that leaves a label open, and a value of it for each pod',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: [nodePool({ template: { requirements: [{ key: 'team', operator: 'Exists', values: [] }] } })],
          pod: podsOf(count, (index) => ({ nodeSelector: { team: `team-${index}` } })),
        },
      }),
  },
  {
    name: 'open-label-excluded',
    about: 'a pool that leaves a label open, and each pod keeps off a value of it',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: [nodePool({ template: { requirements: [{ key: 'team', operator: 'Exists', values: [] }] } })],
          pod: podsOf(count, (index) => ({
            requiredNodeTerms: [{ matchExpressions: [{ key: 'team', operator: 'NotIn', values: [`team-${index}`] }], matchFields: [] }],
          })),
        },
      }),
  },
  {
    name: 'limited-pools',
    about: 'a pool for every twenty pods, each limited to one machine',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: times(count / 20, (index) => nodePool({ name: `pool-${index}`, limits: { nodes: 1 } })),
          pod: podsOf(count, (index) => ({ cpus: 0.5 + (index % 7) / 10 })),
        },
      }),
  },
  {
    name: 'least-values',
    about: 'a pool that asks for eight sizes, and amounts of its own for each pod',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: [nodePool({ template: { requirements: [{ key: LABEL.instanceType, operator: 'Exists', values: [], minValues: 8 }] } })],
          pod: podsOf(count, (index) => ({ cpus: 0.1 + index / 10_000 })),
        },
      }),
  },
  {
    name: 'prices',
    about: 'a size for every hundred pods, with prices from nothing to a milliard',
    build: (count) =>
      snapshot({
        types: times(count / 100, (index) =>
          instanceType({
            name: `Standard_D${index}as_v6`,
            cpus: 2 + (index % 60),
            offerings: ZONES.map((zone) => offering({ zone, price: [0, 1e-6, 1, 1e6, 1e9][index % 5] ?? 1 })),
          }),
        ),
        objects: { pod: podsOf(count, (index) => ({ cpus: 0.25 + (index % 97) / 100 })) },
      }),
  },
  {
    name: 'daemons',
    about: 'a DaemonSet for every hundred pods, half of which keep away from pods',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          daemonSet: times(count / 100, (index) =>
            daemonSet({
              name: `agent-${index}`,
              cpus: 0.001,
              memoryGib: 0.001,
              labels: { agent: `agent-${index}` },
              ...(index % 2 === 0 ? {} : { podAntiAffinity: demanding(onHost(selecting({ not: `agent-${index}` }))) }),
            }),
          ),
          pod: podsOf(count, (index) => ({ labels: { app: `app-${index}` } })),
        },
      }),
  },
  {
    name: 'drivers',
    about: 'a volume for each pod, of one of as many drivers as there are hundreds of pods',
    build: (count) =>
      withVolumes(
        count,
        1,
        () => ZONES,
        (index) => `driver-${index % Math.ceil(count / 100)}`,
      ),
  },
  {
    name: 'disks',
    about: 'three volumes for each pod, in a zone of their own',
    build: (count) =>
      withVolumes(
        count,
        3,
        (index) => [ZONES[Math.floor(index / 3) % 3] ?? ''],
        () => IN_A_ZONE,
      ),
  },
  {
    name: 'contradictory-disks',
    about: 'two volumes for each pod, in two zones',
    build: (count) =>
      withVolumes(
        count,
        2,
        (index) => [ZONES[index % 3] ?? ''],
        () => IN_A_ZONE,
      ),
  },
  {
    name: 'shared-volumes',
    about: 'one volume for every ten pods, which share it',
    build: (count) =>
      withVolumes(
        count,
        0.1,
        () => ZONES,
        () => IN_A_ZONE,
      ),
  },
]

const TAINTED_POOLS = 50

/** Three different pools. The first 12,800 indices give nearly as many sets. */
function threeOf(index: number): readonly [number, number, number] {
  const first = index % TAINTED_POOLS
  const second = (first + 1 + (Math.floor(index / TAINTED_POOLS) % 16)) % TAINTED_POOLS
  const third = (second + 1 + (Math.floor(index / (16 * TAINTED_POOLS)) % 16)) % TAINTED_POOLS
  return [first, second, third]
}

function poolOfTeam(team: string) {
  return nodePool({ name: team, template: { labels: { team }, taints: [{ key: 'team', value: team, effect: 'NoSchedule' }] } })
}

/** Bound volumes: `each` is the number of volumes for each pod. If `each` is less than 1, pods share volumes. */
function withVolumes(count: number, each: number, zonesOf: (index: number) => readonly string[], driverOf: (index: number) => string) {
  const volumes = times(count * each, (index) => index)
  return snapshot({
    types: TYPES,
    objects: {
      persistentVolume: volumes.map((index) => ({
        name: `volume-${index}`,
        uid: uid(`volume-${index}`),
        driver: driverOf(index),
        nodeTerms: [{ matchExpressions: [{ key: LABEL.zone, operator: 'In', values: zonesOf(index) }], matchFields: [] }],
      })),
      persistentVolumeClaim: volumes.map((index) => ({
        key: objectKey('default', `data-${index}`),
        uid: uid(`data-${index}`),
        volumeName: `volume-${index}`,
        storageClassName: 'disk',
        deleted: false,
      })),
      pod: podsOf(count, (index) => ({
        volumes: times(each, (at) => ({ kind: 'claim', claimName: `data-${Math.floor(index * each) + at}` })),
      })),
    },
  })
}
