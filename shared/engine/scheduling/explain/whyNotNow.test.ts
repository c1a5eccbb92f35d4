import { describe, expect, it } from 'vitest'
import { DAEMON_SET } from '../../../../test/builders/pod.ts'
import { STORAGE } from '../../../../test/scenarios/explained.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../../../../test/scenarios/givenWorld.ts'
import type { Given } from '../../../../test/scenarios/scenario.ts'
import { LABEL } from '../../../model/labels.ts'
import { explainNode } from './explainPod.ts'

const CHEAP = { ...size('cheap', { offerings: [sold(0.1, 'z1')] }), maxDataDisks: 1 }
const DEAR = { ...size('dear', { cpus: 8, offerings: [sold(1, 'z1')] }), maxDataDisks: 8 }
const N1 = { labels: 'type=dear zone=z1', room: { cpu: 7.9 }, needs: 'type in cheap dear' } as const
const UP: Given = { types: [CHEAP, DEAR], nodes: { n1: N1 } }
const LAUNCHED: Given = { ...UP, nodes: { n1: { ...N1, stage: 'launched', bought: { cpu: 2, pods: 2 } } } }
const CREATED: Given = { ...UP, nodes: { n1: { ...N1, labels: '', needs: 'type in cheap dear', stage: 'created', bought: { cpu: 2 } } } }
const OWN_DAEMON = { d: { select: 'type=cheap', asks: { cpu: 3.5 } } } as const

describe('a cheaper size for a machine that is there', () => {
  const table: { readonly [sentence: string]: { readonly given: Given; readonly want: object | undefined } } = {
    'serves pods that fit beside its daemons': {
      given: { ...UP, daemons: { d: { asks: { cpu: 1 } } }, pods: { p: { on: 'n1', asks: { cpu: 2 } } } },
      want: { kind: 'now', by: 'pods' },
    },
    'need not hold daemon pods of the node that it would not have': {
      given: {
        ...UP,
        daemons: { d: { select: 'type=dear', asks: { cpu: 3 } } },
        pods: { d: { on: 'n1', owner: DAEMON_SET, asks: { cpu: 3 } }, p: { on: 'n1', asks: { cpu: 3 } } },
      },
      want: { kind: 'now', by: 'pods' },
    },
    'attaches fewer disks than the pods have': {
      given: { ...UP, ...STORAGE.twoDisks, pods: { p: { on: 'n1', mounts: 'one two' } } },
      want: { kind: 'disks', asked: 2, had: 1, shortBy: 1 },
    },
    'attaches a disk once that two pods share': {
      given: { ...UP, ...STORAGE.twoDisks, pods: { p: { on: 'n1', count: 2, mounts: 'one' } } },
      want: { kind: 'now', by: 'pods' },
    },
    'has too little left beside its own daemons': {
      given: { ...UP, daemons: OWN_DAEMON, pods: { p: { on: 'n1', asks: { cpu: 2 } } } },
      want: { kind: 'amount', resource: 'cpu', asked: 2000, had: 400 },
    },
    'is overdrawn by its own daemons alone': {
      given: { ...UP, daemons: { d: { select: 'type=cheap', asks: { memory: 5 } } }, pods: { p: { on: 'n1', asks: { cpu: 1 } } } },
      want: { kind: 'daemons' },
    },
    'has daemons that take the host port': {
      given: { ...UP, daemons: { d: { select: 'type=cheap', ports: '80' } }, pods: { p: { on: 'n1', ports: '80' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'daemons' },
    },
    'has daemons that a pod keeps away from': {
      given: {
        ...UP,
        daemons: { d: { select: 'type=cheap', namespace: 'default' } },
        pods: { p: { on: 'n1', apart: 'app=d over hostname' } },
      },
      want: { kind: 'daemonNeighbours', daemonSets: ['default/d'] },
    },
    'lacks labels that a pod asks for, and is too small besides': {
      given: { ...UP, pods: { p: { on: 'n1', select: 'type=dear', asks: { cpu: 6 } } } },
      want: { kind: 'labels', whose: 'pods', labels: [LABEL.instanceType] },
    },
    'has a taint now that a pod does not tolerate': {
      given: { ...UP, pools: { default: { taints: 'late soft:PreferNoSchedule' } }, pods: { p: { on: 'n1' } } },
      want: { kind: 'taints', taints: ['late:NoSchedule'] },
    },
    'would exceed the limit of its NodePool, also once the machine is gone': {
      given: { ...UP, pools: { default: { limits: { cpu: 3 } } }, pods: { p: { on: 'n1' } } },
      want: { kind: 'limit', resource: 'cpu', asked: 4000, had: 3000, shortBy: 1000, isReplacement: true },
    },
    'stays within the limit that the machine itself has used up': {
      given: { ...UP, pools: { default: { limits: { cpu: 8 } } }, pods: { p: { on: 'n1' } } },
      want: { kind: 'now', by: 'pods' },
    },
    'would exceed the limit of its NodePool, for a claim that is not up': {
      given: { ...LAUNCHED, pools: { default: { limits: { cpu: 3 } } } },
      want: { kind: 'limit', resource: 'cpu', asked: 4000, had: 3000, shortBy: 1000, isReplacement: true },
    },
    'would exceed the limit that other machines use': {
      given: {
        ...UP,
        nodes: { n1: N1, n2: { labels: 'type=cheap zone=z1', room: { cpu: 3.9 } } },
        pools: { default: { limits: { nodes: 1 } } },
        pods: { p: { on: 'n1' } },
      },
      want: { kind: 'limit', resource: 'nodes', asked: 1, had: 0, shortBy: 1, isReplacement: true },
    },
    'meets the claim of a machine that is not up': { given: LAUNCHED, want: { kind: 'now', by: 'claim' } },
    'meets the claim of a machine that goes before it was up': {
      given: { ...LAUNCHED, nodes: { n1: { ...N1, stage: 'launched', deleting: true } } },
      want: { kind: 'now', by: 'claim' },
    },
    'has too little beside its own daemons for a claim that is not up': {
      given: { ...LAUNCHED, daemons: OWN_DAEMON },
      want: { kind: 'amount', resource: 'cpu', asked: 2000, had: 400 },
    },
    'has room for a claim that counts the daemons of every size': {
      given: { ...LAUNCHED, nodes: { n1: { ...N1, stage: 'launched', bought: { cpu: 3.9 } } }, daemons: { d: { asks: { cpu: 1 } } } },
      want: { kind: 'now', by: 'claim' },
    },
    'attaches fewer disks than the pods on their way to a claim have': {
      given: { ...LAUNCHED, ...STORAGE.twoDisks, pods: { p: { mounts: 'one two' } } },
      want: { kind: 'disks', asked: 2, had: 1, shortBy: 1 },
    },
    'is what a claim without a machine would become': { given: CREATED, want: undefined },
  }
  for (const [sentence, { given, want }] of Object.entries(table)) {
    it(sentence, () => {
      const result = explainNode(worldOf(given).snapshot, 'n1')
      const cheaper = result.ok && result.value.kind === 'there' ? result.value.cheaper : undefined
      expect(cheaper).toMatchObject(want === undefined ? [] : [{ choice: { size: 'cheap' }, because: want }])
    })
  }
})
