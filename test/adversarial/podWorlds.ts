/** Pods that each have a field value of their own. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeSelectorTerm } from '../../shared/model/pod.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { resources } from '../builders/resources.ts'
import { snapshot } from '../builders/snapshot.ts'
import { TYPES, times, type World, ZONES } from './world.ts'

/** A cluster with one pool, all sizes and `count` pending pods. */
export function ofPods(count: number, shapeOf: (index: number) => PodShape): ClusterSnapshot {
  return snapshot({ types: TYPES, objects: { pod: podsOf(count, shapeOf) } })
}

export function podsOf(count: number, shapeOf: (index: number) => PodShape) {
  return times(count, (index) => pod({ cpus: 0.5, ...shapeOf(index), name: nameOf(index) }))
}

/** The padding makes text order equal to numeric order: the engine takes pods of one size in the order of their uids. */
export function nameOf(index: number): string {
  return `pod-${String(index).padStart(6, '0')}`
}

function world(name: string, about: string, shapeOf: (index: number) => PodShape): World {
  return { name, about, build: (count) => ofPods(count, shapeOf) }
}

function asking(key: string, ...values: readonly string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator: 'In', values }], matchFields: [] }
}

function excluding(key: string, ...values: readonly string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator: 'NotIn', values }], matchFields: [] }
}

const SKU_CPU = 'karpenter.azure.com/sku-cpu'

export const POD_WORLDS: readonly World[] = [
  world('ports', 'a host port of its own for each pod', (index) => ({ hostPorts: [portOf(index)] })),
  world('same-port', 'one host port that all pods want', () => ({ hostPorts: [portOf(0)] })),
  world('tolerations', 'a toleration of its own for each pod', (index) => ({
    tolerations: [{ key: 'for', operator: 'Equal', value: `pod-${index}` }],
  })),
  world('shapes', 'amounts of its own for each pod, none of them round', (index) => ({
    cpus: (101 + ((index * 7919) % 3989)) / 1000,
    memoryGib: (1_000_003 * (101 + ((index * 104_729) % 8887))) / 1024 ** 3,
  })),
  world('labels', 'labels of its own for each pod, that nobody asks for', (index) => ({
    labels: { app: `app-${index}`, [`key-${index}`]: 'yes' },
  })),
  world('resources', 'an extended resource for every four pods, that no size has', (index) => ({
    requests: resources(0.5, 1, { pods: 1, [`example.com/device-${Math.floor(index / 4)}`]: 1 }),
  })),
  world('amounts', 'extended resources in amounts of its own for each pod', (index) => ({
    requests: resources(0.5, 1, { pods: 1, 'ephemeral-storage': 1_000_003 + index }),
  })),
  world('terms', 'a required node affinity of its own for each pod, with three alternatives', (index) => ({
    requiredNodeTerms: [asking(SKU_CPU, `${1_000 + index}`), asking(SKU_CPU, '4', `x${index}`), asking(SKU_CPU, '8', `y${index}`)],
  })),
  world('selectors', 'a node selector of its own for each pod, that no pool meets', (index) => ({ nodeSelector: { for: `pod-${index}` } })),
  world('preferences', 'twenty preferences of its own for each pod, none of which can be met', (index) => ({
    preferredNodeTerms: times(20, (at) => ({ weight: 1 + at, term: asking('like', `${index}-${at}`) })),
  })),
  world('too-large', 'each pod larger than every size, by an amount of its own', (index) => ({ cpus: 65 + index / 1000 })),
  world('zones', 'each pod asks for a zone, in words of its own', (index) => ({
    requiredNodeTerms: [asking(LABEL.zone, ZONES[index % ZONES.length] ?? '', `nowhere-${index}`)],
  })),
  world('names', 'each pod asks for a machine by its name', (index) => ({ requiredNodeTerms: [asking(LABEL.hostname, `host-${index}`)] })),
  world('excluded-types', 'each pod keeps off an instance type of its own that is not there', (index) => ({
    requiredNodeTerms: [excluding(LABEL.instanceType, `none-${index}`)],
  })),
  world('excluded-names', 'each pod keeps off a machine by its name', (index) => ({
    requiredNodeTerms: [excluding(LABEL.hostname, `host-${index}`)],
  })),
  world('excluded-labels', 'each pod keeps off a value of a label that no machine has', (index) => ({
    requiredNodeTerms: [excluding('team', `team-${index}`)],
  })),
  world('namespaces', 'a namespace of its own for each pod', (index) => ({ namespace: `team-${index}` })),
  world('owners', 'an owner of its own for each pod', (index) => ({
    owner: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `app-${index}`, uid: `uid-${index}` as never },
  })),
  {
    name: 'refused-by-pools',
    about: 'pods that fit nowhere, each in its own way, and a pool for every hundred of them',
    build: (count) =>
      snapshot({
        types: TYPES,
        objects: {
          nodePool: times(count / 100, (index) => nodePool({ name: `pool-${index}`, template: { labels: { team: `team-${index}` } } })),
          pod: podsOf(count, (index) => ({ nodeSelector: { team: `nobody-${index}` } })),
        },
      }),
  },
]

function portOf(index: number) {
  return { ip: '', port: 1 + (index % 65_535), protocol: 'TCP' }
}
