import { describe, expect, it } from 'vitest'
import { NOW } from '../../../../test/builders/clock.ts'
import { instanceType, offering } from '../../../../test/builders/instanceType.ts'
import { DAEMON_SET, NODE_OWNER } from '../../../../test/builders/pod.ts'
import { explained, FULL, over, type Row, STORAGE } from '../../../../test/scenarios/explained.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../../../../test/scenarios/givenWorld.ts'
import { nodeName, objectKey } from '../../../model/ids.ts'
import { LABEL } from '../../../model/labels.ts'
import { explainPod } from './explainPod.ts'

const BECAUSE = (kind: string) => ({ kind: 'notPlanned', code: 'POD.NOT_PROVISIONABLE', because: { kind } })

describe('what becomes of a pod', () => {
  const table: { readonly [sentence: string]: Row } = {
    'it runs': {
      given: { nodes: { n1: {} }, pods: { p: { on: 'n1' } } },
      want: { kind: 'running', pod: 'default/p', node: expect.stringContaining('n1'), isDeleting: false },
    },
    'it stays on a node that goes': {
      given: { nodes: { n1: { deleting: true } }, pods: { p: { on: 'n1', owner: DAEMON_SET } } },
      want: { kind: 'running', isDeleting: true },
    },
    'it waits for gates': {
      given: over({ schedulingGates: ['a', 'b'] }),
      want: { ...BECAUSE('gated'), because: { kind: 'gated', gates: ['a', 'b'] } },
    },
    'it makes others give way': {
      given: { nodes: { n1: {} }, ...over({ nominatedNodeName: nodeName('joiner-n1') }) },
      want: { ...BECAUSE('preempting'), because: { kind: 'preempting', node: 'joiner-n1' } },
    },
    'it belongs to a DaemonSet': { given: over({ owner: DAEMON_SET }), want: BECAUSE('daemon') },
    'it is a static pod': { given: over({ owner: NODE_OWNER }), want: BECAUSE('mirror') },
    'the pod has finished': { given: over({ phase: 'Succeeded' }), want: BECAUSE('ended') },
    'it is being deleted': { given: over({ deletedAt: NOW }), want: BECAUSE('deleted') },
    'kube-scheduler has not refused it': { given: { pods: { p: { untried: true } } }, want: BECAUSE('untried') },
    'another scheduler has not refused it': {
      given: { pods: { p: { untried: true, over: { schedulerName: 'volcano' } } } },
      want: { ...BECAUSE('otherScheduler'), because: { kind: 'otherScheduler', scheduler: 'volcano' } },
    },
    'no decision could place it': {
      given: { pods: { p: { untried: true, mounts: 'data' } } },
      want: { kind: 'refused', code: 'POD.VOLUME', pools: [], machines: [] },
    },
    'it goes to a node that is up': {
      given: { nodes: { n1: {} }, pods: { p: {} } },
      want: { kind: 'onMachine', machine: expect.stringContaining('n1'), claim: 'n1', stage: 'up', isNominated: false, gaveUp: 0 },
    },
    'it goes to a node that no claim made': {
      given: { nodes: { n1: { pool: null } }, pods: { p: {} } },
      want: { kind: 'onMachine', pod: 'default/p', machine: 'n1', stage: 'up', isNominated: false, gaveUp: 0 },
    },
    'it goes to a node that is coming up': {
      given: { nodes: { n1: { stage: 'launched' } }, pods: { p: {} } },
      want: { kind: 'onMachine', claim: 'n1', stage: 'comingUp' },
    },
    'it goes to a claim that is not launched': {
      given: { nodes: { n1: { stage: 'created', needs: 'type=default' } }, pods: { p: {} } },
      want: { kind: 'onMachine', claim: 'n1', stage: 'notLaunched' },
    },
    'it goes where it was promised': {
      given: { nodes: { a: {}, b: {} }, pods: { p: {} }, promised: { p: 'b' } },
      want: { kind: 'onMachine', claim: 'b', isNominated: true },
    },
    'it gives up a preference for a place': {
      given: { pods: { p: { prefers: 'zone=nowhere' } } },
      want: { kind: 'onNewClaim', gaveUp: 1 },
    },
    'it gets a new node': {
      given: { pods: { p: {}, q: {} } },
      want: {
        kind: 'onNewClaim',
        gaveUp: 0,
        pools: [],
        machines: [],
        claim: {
          name: expect.stringMatching(/^default-/),
          pool: 'default',
          pods: ['default/p', 'default/q'],
          choice: { size: 'small', capacityType: 'spot', price: 400_000 },
          nextBest: { size: 'default', price: 800_000 },
          alternatives: 5,
          cheaper: [],
        },
      },
    },
    'it is refused before any pool is asked': {
      given: { pods: { p: { needs: 'team in' } } },
      want: { kind: 'refused', code: 'POD.INVALID', message: expect.stringContaining('team'), pools: [], machines: [] },
    },
    'there is no pool': { given: { pools: {}, pods: { p: {} } }, want: { kind: 'refused', code: 'POOL.NONE', pools: [] } },
    'its turn did not come': {
      given: { settings: { maxSteps: 0 }, pods: { p: {} } },
      want: { kind: 'refused', code: 'SCHEDULING.DEADLINE', pools: [], machines: [] },
    },
    'its claim lost the values it must keep': {
      given: {
        settings: { maxInstanceTypes: 1 },
        pools: { default: { needs: 'type exists min 2' } },
        pods: { p: {} },
      },
      want: {
        kind: 'refused',
        code: 'SCHEDULING.MIN_VALUES',
        message: expect.stringContaining('they have 1'),
        pools: [{ pool: 'default', verdict: { kind: 'claim' } }],
      },
    },
  }
  for (const [sentence, row] of Object.entries(table)) it(sentence, () => expect(explained(row)).toMatchObject(row.want))

  it('nobody knows it', () => {
    const result = explainPod(worldOf({ pods: { p: {} } }).snapshot, objectKey('default', 'q'))
    expect(result).toMatchObject({ ok: false, error: { code: 'KUBE.NOT_FOUND', object: 'pod/default/q' } })
  })
})

const SHORT = { asked: 20_000, had: 15_900, shortBy: 4_100 }

describe('the first stage at which a pool refuses', () => {
  const table: { readonly [sentence: string]: Row } = {
    'the pool takes no part': {
      given: { pools: { default: { replicas: 3 } }, pods: { p: {} } },
      want: { kind: 'pool', code: 'POOL.STATIC', message: expect.stringContaining('spec.replicas is 3') },
    },
    'no term of the affinity': {
      given: over({ requiredNodeTerms: [{ matchExpressions: [], matchFields: [] }] }),
      want: { kind: 'noTerm' },
    },
    taints: { given: { pools: { default: { taints: 'a=b' } }, pods: { p: {} } }, want: { kind: 'taints', taints: ['a=b:NoSchedule'] } },
    'labels of the pod': {
      given: { pods: { p: { select: 'team=a' } } },
      want: { kind: 'labels', whose: 'pods', labels: ['team'] },
    },
    'labels of its volumes': {
      given: { ...STORAGE.inZone2, pools: { default: { needs: 'zone=z1' } }, pods: { p: { mounts: 'data' } } },
      want: { kind: 'labels', whose: 'volumes', labels: [LABEL.zone] },
    },
    'no size has the labels': { given: { pods: { p: { select: 'cpus=3' } } }, want: { kind: 'sizes', whose: 'pods', instanceTypes: 6 } },
    'no size is where the volumes are': {
      given: { ...STORAGE.elsewhere, pods: { p: { mounts: 'data' } } },
      want: { kind: 'sizes', whose: 'volumes', instanceTypes: 6 },
    },
    'the quota': {
      given: {
        types: [instanceType({ offerings: [offering({ quotaOf: 8 })] })],
        pools: { default: { needs: 'zone=eastus-1' } },
        pods: { p: {} },
      },
      want: { kind: 'pool', code: 'AZURE.QUOTA.FAMILY', fields: { limit: 8, used: 8, quota: 'standardDasv6Family', region: 'eastus' } },
    },
    'the quota of what the pod asks for': {
      given: {
        types: [instanceType({ offerings: [offering({ quotaOf: 8 }), offering({ capacityType: 'spot' })] })],
        pods: { p: { select: 'capacity=on-demand' } },
      },
      want: { kind: 'quota', code: 'AZURE.QUOTA.FAMILY', limit: 8, used: 8, quota: 'standardDasv6Family', region: 'eastus' },
    },
    'nothing for sale there': {
      given: { pods: { p: { needs: 'zone=z3, capacity=spot' } } },
      want: { kind: 'offering', instanceTypes: 6 },
    },
    'too little of a resource': {
      given: { pods: { p: { asks: { cpu: 20 } } } },
      want: { kind: 'amount', resource: 'cpu', instanceTypes: 6, ...SHORT },
    },
    'too few disks': {
      given: { ...STORAGE.twoDisks, types: [{ ...size('one', {}), maxDataDisks: 1 }], pods: { p: { mounts: 'one two' } } },
      want: { kind: 'disks', driver: 'disk.csi.azure.com', asked: 2, had: 1, shortBy: 1, instanceTypes: 1 },
    },
    'not all resources at once': {
      given: {
        types: [size('fast', { cpus: 16 }), size('big', { memoryGib: 64 })],
        pods: { p: { asks: { cpu: 10, memory: 30 } } },
      },
      want: { kind: 'atOnce', instanceTypes: 2 },
    },
    'a port that daemons take': {
      given: { daemons: { d: { ports: '80' } }, pods: { p: { ports: '80' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'daemons' },
    },
    'a reservation that is used up': {
      given: {
        types: [size('one', { cpus: 1.1, offerings: [sold(0.1, 'z1 reserved', { id: 'r', remaining: 1 })] })],
        pods: { first: { asks: { cpu: 1 } }, p: { asks: { cpu: 1 } } },
      },
      want: { kind: 'reservation', reservation: 'r' },
    },
    'the limit of the pool': {
      given: { pools: { default: { limits: { cpu: 3 } } }, pods: { p: { asks: { cpu: 3 } } } },
      want: { kind: 'limit', resource: 'cpu', asked: 4000, had: 3000, shortBy: 1000 },
    },
    'least numbers of values': {
      given: { pools: { default: { needs: 'type exists min 3' } }, pods: { p: { asks: { cpu: 10 } } } },
      want: { kind: 'minValues', label: LABEL.instanceType, wanted: 3, had: 1 },
    },
    spread: {
      given: {
        pools: { default: { needs: 'zone=z1' } },
        nodes: { n1: FULL },
        pods: { old: { on: 'n1', labels: 'app=p' }, p: { spread: [{ over: 'zone', minDomains: 2 }] } },
      },
      want: {
        kind: 'neighbours',
        rule: 'spread',
        label: LABEL.zone,
        maxSkew: 1,
        domains: ['z1'],
        counts: [['z1', 1]],
      },
    },
    'nobody to be near': {
      given: { pods: { p: { near: 'app=db over zone' } } },
      want: { kind: 'neighbours', rule: 'affinity', label: LABEL.zone, domains: ['z1', 'z2', 'z3'], counts: [] },
    },
    'somebody to keep away from': {
      given: {
        pools: { default: { needs: 'zone=z1' } },
        nodes: { n1: FULL },
        pods: { db: { on: 'n1' }, p: { apart: 'app=db over zone' } },
      },
      want: { kind: 'neighbours', rule: 'antiAffinity', domains: ['z1'], counts: [['z1', 1]] },
    },
    'somebody who keeps away from it': {
      given: {
        pools: { default: { needs: 'zone=z1' } },
        nodes: { n1: FULL },
        pods: { db: { on: 'n1', apart: 'app=p over zone' }, p: {} },
      },
      want: { kind: 'neighbours', rule: 'repelled', domains: ['z1'], counts: [['z1', 1]] },
    },
    'two rules that leave each other nothing': {
      given: {
        nodes: { n1: FULL },
        pods: { db: { on: 'n1' }, p: { near: 'app=db over zone', apart: 'app=db over zone' } },
      },
      want: {
        kind: 'neighboursTogether',
        label: LABEL.zone,
        rules: [
          { rule: 'affinity', domains: ['z1'] },
          { rule: 'antiAffinity', domains: ['z2', 'z3'] },
        ],
      },
    },
    'no size that is large enough where it has to be near': {
      given: {
        types: [size('small', { cpus: 2, offerings: [sold(0.1, 'z1')] }), size('large', { cpus: 8, offerings: [sold(0.4, 'z2')] })],
        nodes: { n1: FULL },
        pods: { db: { on: 'n1' }, p: { near: 'app=db over zone', asks: { cpu: 4 } } },
      },
      want: {
        kind: 'neighboursLeave',
        domains: [{ label: LABEL.zone, values: ['z1'] }],
        verdict: { kind: 'amount', resource: 'cpu', instanceTypes: 1, asked: 4000 },
      },
    },
  }
  for (const [sentence, row] of Object.entries(table)) {
    it(sentence, () => {
      const found = explained(row)
      expect(found).toMatchObject({ kind: 'refused', pools: [{ pool: 'default', verdict: row.want }] })
    })
  }

  it('is said of heavier pools, too, where a lighter one takes the pod', () => {
    const pools = { heavy: { weight: 10, taints: 'a' }, light: { weight: 1 }, lighter: {} }
    const found = explained({ given: { pools, pods: { p: {} } }, want: {} })
    expect(found).toMatchObject({ kind: 'onNewClaim', claim: { pool: 'light' }, pools: [{ pool: 'heavy', verdict: { kind: 'taints' } }] })
  })
})

describe('nodes that are there', () => {
  const table: { readonly [sentence: string]: Row } = {
    'have taints': { given: { nodes: { n1: { taints: 'a' } }, pods: { p: {} } }, want: { kind: 'taints', taints: ['a:NoSchedule'] } },
    'have other labels': {
      given: { nodes: { n1: {} }, pods: { p: { select: 'zone=z2' } } },
      want: { kind: 'labels', whose: 'pods', labels: [LABEL.zone], message: `asked ${LABEL.zone} In [z2], it has ${LABEL.zone}=z1` },
    },
    'lack a label that pods are counted by': {
      given: { nodes: { n1: { bare: 'zone' } }, pods: { p: { spread: 'zone' } } },
      want: { kind: 'labels', labels: [LABEL.zone] },
    },
    'have too little room': {
      given: { nodes: { n1: { room: { cpu: 1 } } }, pods: { p: { asks: { cpu: 1.5 } } } },
      want: { kind: 'amount', resource: 'cpu', asked: 1500, had: 1000, shortBy: 500 },
    },
    'can attach too few disks': {
      given: { ...STORAGE.twoDisks, nodes: { n1: { attach: { 'disk.csi.azure.com': 1 } } }, pods: { p: { mounts: 'one two' } } },
      want: { kind: 'disks', asked: 2, had: 1, shortBy: 1 },
    },
    'have the port taken': {
      given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80' }, p: { ports: '80' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'pods' },
    },
    'have one of two ports taken': {
      given: { nodes: { n1: {} }, pods: { old: { on: 'n1', ports: '80' }, p: { ports: '80 81' } } },
      want: { kind: 'ports', ports: [80], takenBy: 'pods' },
    },
    'will have a daemon that takes the port': {
      given: {
        nodes: { n1: { labels: 'type=small zone=z1', stage: 'registered' } },
        daemons: { d: { select: 'type=small', ports: '80' } },
        pods: { p: { ports: '80' } },
      },
      want: { kind: 'ports', ports: [80], takenBy: 'daemons' },
    },
    'have neighbours that it keeps away from': {
      given: { nodes: { n1: {} }, pods: { db: { on: 'n1' }, p: { apart: 'app=db over hostname' } } },
      want: { kind: 'neighbours', rule: 'antiAffinity', label: LABEL.hostname },
    },
  }
  for (const [sentence, row] of Object.entries(table)) {
    it(sentence, () => expect(explained(row)).toMatchObject({ kind: 'onNewClaim', machines: [{ machines: 1, verdict: row.want }] }))
  }

  it('are told together where they refuse alike, with the one that comes closest', () => {
    const nodes = { a: { room: { cpu: 1 } }, b: { room: { cpu: 2 } }, c: { taints: 'x' } }
    const found = explained({ given: { nodes, pods: { p: { asks: { cpu: 3 } } } }, want: {} })
    expect(found).toMatchObject({
      machines: [
        { machines: 2, closest: expect.stringContaining('b'), verdict: { kind: 'amount', shortBy: 1000 } },
        { machines: 1, closest: expect.stringContaining('c'), verdict: { kind: 'taints' } },
      ],
    })
  })
})
