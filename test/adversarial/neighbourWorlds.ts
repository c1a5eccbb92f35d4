/** Affinity, anti-affinity and spread rules: nearly every pod has a rule of its own. */
import { LABEL } from '../../shared/model/labels.ts'
import { nodePool } from '../builders/nodePool.ts'
import type { PodShape } from '../builders/pod.ts'
import { snapshot } from '../builders/snapshot.ts'
import { ofPods, podsOf } from './podWorlds.ts'
import { demanding, inZone, onHost, selecting, spreadOver, TYPES, times, type World } from './world.ts'

function world(name: string, about: string, shapeOf: (index: number, count: number) => PodShape): World {
  return { name, about, build: (count) => ofPods(count, (index) => shapeOf(index, count)) }
}

/** The engine takes pods of one size in the order of their uids. With `isReversed`, the links of the chain come in the opposite order. */
function chained(index: number, count: number, isReversed: boolean): { readonly own: string; readonly next: string } {
  const at = isReversed ? count - 1 - index : index
  return { own: `link-${at}`, next: `link-${Math.max(0, at - 1)}` }
}

function chain(name: string, about: string, isReversed: boolean, termOf: typeof inZone): World {
  return world(name, about, (index, count) => {
    const { own, next } = chained(index, count, isReversed)
    return { labels: { link: own }, podAffinity: demanding(termOf(selecting({ link: next }))) }
  })
}

export const NEIGHBOUR_WORLDS: readonly World[] = [
  chain('zone-chain', 'each pod wants the zone of the one before it', false, inZone),
  chain('zone-chain-back', 'each pod wants the zone of the one after it', true, inZone),
  chain('host-chain', 'each pod wants the machine of the one before it', false, onHost),
  chain('host-chain-back', 'each pod wants the machine of the one after it', true, onHost),
  world('pairs', 'pods in pairs that want one machine', (index) => {
    const labels = { pair: `pair-${Math.floor(index / 2)}` }
    return { labels, podAffinity: demanding(onHost(selecting(labels))) }
  }),
  world('tenants', 'a tenant for every ten pods, kept apart from all others by NotIn', (index) => {
    const tenant = `tenant-${Math.floor(index / 10)}`
    return {
      labels: { tenant },
      podAntiAffinity: demanding(onHost(selecting({}, { key: 'tenant', operator: 'NotIn', values: [tenant] }))),
    }
  }),
  world('zone-tenants', 'a tenant for every ten pods, kept out of the zones of all others by NotIn', (index) => {
    const tenant = `tenant-${Math.floor(index / 10)}`
    return {
      labels: { tenant },
      podAntiAffinity: demanding(inZone(selecting({}, { key: 'tenant', operator: 'NotIn', values: [tenant] }))),
    }
  }),
  world('apart', 'anti-affinity of its own for each pod, with itself alone', (index) => {
    const labels = { app: `app-${index}` }
    return { labels, podAntiAffinity: demanding(onHost(selecting(labels))) }
  }),
  world('apart-unlike', 'anti-affinity of its own for each pod, in pods that are otherwise equal', (index) => ({
    podAntiAffinity: demanding(onHost(selecting({ app: `app-${index}` }))),
  })),
  world('all-apart', 'one rule that keeps each pod from every other', () => ({
    labels: { app: 'app' },
    podAntiAffinity: demanding(onHost(selecting({ app: 'app' }))),
  })),
  world('spreads', 'spread constraints of its own for each pod', (index) => {
    const labels = { app: `app-${index}` }
    return { labels, topologySpread: [spreadOver(LABEL.zone, selecting(labels)), spreadOver(LABEL.hostname, selecting(labels))] }
  }),
  world('spreads-over-all', 'a spread constraint for every ten pods, that counts all pods', (index) => ({
    labels: { app: 'app' },
    topologySpread: [
      spreadOver(LABEL.zone, selecting({ app: 'app' }, { key: 'no', operator: 'NotIn', values: [`${Math.floor(index / 10)}`] })),
    ],
  })),
  world('preferred-apart', 'ten preferred rules of its own for each pod', (index) => ({
    labels: { app: `app-${index}` },
    podAntiAffinity: {
      required: [],
      preferred: times(10, (at) => ({ weight: 1 + at, term: inZone(selecting({ app: `app-${index}`, at: `${at}` })) })),
    },
  })),
  world('company-of-two', 'pods with two affinity terms that no single pod meets', (index) => ({
    labels: { [index % 2 === 0 ? 'one' : 'other']: `${Math.floor(index / 20)}` },
    podAffinity: demanding(
      inZone(selecting({ one: `${Math.floor(index / 20)}` })),
      inZone(selecting({ other: `${Math.floor(index / 20)}` })),
    ),
  })),
  {
    name: 'domains',
    about: 'pods spread over a label with a value for every twenty of them',
    build: (count) => {
      const values = times(count / 20, (index) => `team-${index}`)
      const pool = nodePool({ template: { requirements: [{ key: 'team', operator: 'In', values }] } })
      const labels = { app: 'app' }
      const pod = podsOf(count, () => ({ labels, topologySpread: [spreadOver('team', selecting(labels))] }))
      return snapshot({ types: TYPES, objects: { nodePool: [pool], pod } })
    },
  },
]
