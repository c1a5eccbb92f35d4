import { describe, expect, it } from 'vitest'
import { HOUR, hence, MINUTE, NOW } from '../../../../test/builders/clock.ts'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../../../../test/scenarios/givenWorld.ts'
import type { Given } from '../../../../test/scenarios/scenario.ts'
import type { Condition } from '../../../model/condition.ts'
import { nodeClaimName, nodeName, objectKey, vmSizeName } from '../../../model/ids.ts'
import { epochMs } from '../../../model/units.ts'
import { explainNode, explainPod } from './explainPod.ts'
import type { NotPlanned, PodExplanation } from './explanation.ts'
import { renderExplanation } from './render.ts'

function linesOf(given: Given, name?: string): readonly string[] {
  const { snapshot } = worldOf(given)
  const result = name === undefined ? explainPod(snapshot, objectKey('default', 'p')) : explainNode(snapshot, name)
  if (!result.ok) throw new Error(result.error.message)
  return renderExplanation(result.value, snapshot.takenAt).map((line) => line.replace(/default-[a-z0-9]{5}\b/, 'default-*****'))
}

const pod = objectKey('default', 'p')

describe('the reason why a node is removed', () => {
  const given: Given = { nodes: { n1: { deleting: true } }, pods: { p: { on: 'n1' } } }
  const condition = { type: 'DisruptionReason', lastTransitionAt: NOW, observedGeneration: 1 } as const
  const cases: readonly (readonly [update: object, text: string])[] = [
    [{ status: 'True', reason: 'SpotInterrupted', message: 'Azure announced Preempt' }, ' (SpotInterrupted: Azure announced Preempt)'],
    [{ status: 'True', reason: 'Underutilized', message: '' }, ' (Underutilized)'],
    [{ status: 'False', reason: 'Underutilized', message: '' }, ''],
  ]
  it.each(cases)('%j is told of the pod and of the nodeclaim', (update, text) => {
    const { snapshot } = worldOf(given)
    const nodeClaim = snapshot.objects.nodeClaim.map((claim) => ({
      ...claim,
      status: { ...claim.status, conditions: [{ ...condition, ...update } as Condition] },
    }))
    const told = { ...snapshot, objects: { ...snapshot.objects, nodeClaim } }
    for (const result of [explainPod(told, pod), explainNode(told, 'n1')]) {
      if (!result.ok) expect.fail(result.error.message)
      expect(renderExplanation(result.value, NOW).join('\n')).toContain(`being removed since 2026-01-01T00:00:00Z, 0s ago${text}, node`)
    }
  })
})

describe('an explanation in words', () => {
  it('of a new node says what it costs, what comes next and what is cheaper', () => {
    const types = [
      size('tiny', { cpus: 1, offerings: [sold(0.1, 'z1'), sold(0.1, 'z2')] }),
      size('spare', { offerings: [sold(0.3, 'z1 spot')] }),
      size('good', { cpus: 8, offerings: [sold(0.4, 'z1')] }),
      size('next', { cpus: 8, offerings: [sold(0.5, 'z1')] }),
    ]
    const lines = linesOf({
      types,
      nodes: { n1: { room: { cpu: 1 } }, n2: { room: { cpu: 2 } } },
      pools: { default: {}, other: { taints: 'team=a', weight: 10 } },
      unavailable: [
        { scope: { kind: 'capacityType', capacityType: 'spot' }, until: hence(90_000), code: 'AZURE.QUOTA.SPOT', message: 'full' },
      ],
      pods: { p: { asks: { cpu: 3 }, prefers: 'zone=z9' } },
    })
    expect(lines).toEqual([
      'pod default/p gets a new node',
      '  preferences of the pod that are not met: 1',
      '  nodeclaim default-***** of nodepool default, for one pod',
      '  machine: good on-demand in zone z1, $0.40/h, the cheapest of 2 instance types that fit',
      '  next best: next on-demand in zone z1, $0.50/h (25 % more)',
      '  cheaper, but not taken:',
      '    spare spot in zone z1, $0.30/h of nodepool default: Azure refused it lately (AZURE.QUOTA.SPOT) and is not asked again for 2 minutes',
      '    tiny on-demand in zone z1, $0.10/h of nodepool default: asked 3 cpu, it has 0.9 left for pods, short by 2.1',
      '    tiny on-demand in zone z1, $0.10/h and 1 more size of nodepool other: untolerated taint team=a:NoSchedule',
      '  nodepool other: untolerated taint team=a:NoSchedule (tried first, since it has more weight)',
      '  2 nodes, closest joiner-n2: asked 3 cpu, it has 2 left for pods, short by 1',
    ])
  })

  it('of what Azure refused again and again says how often', () => {
    const again = { times: 3, at: NOW, openedAt: NOW, firstMs: MINUTE }
    const scope = { kind: 'capacityType', capacityType: 'spot' } as const
    const lines = linesOf({
      types: [size('both', { offerings: [sold(0.1, 'z1 spot'), sold(0.2, 'z1')] })],
      unavailable: [{ scope, until: hence(90_000), code: 'AZURE.QUOTA.SPOT', message: 'full', again }],
      pods: { p: {} },
    })
    expect(lines).toContain(
      '    both spot in zone z1, $0.10/h of nodepool default: Azure refused it 3 times in a row (AZURE.QUOTA.SPOT) and is not asked again for 2 minutes',
    )
  })

  it.each([
    [{ because: 'notBooted' }, 'machines of this size did not boot lately in this region'],
    [{ because: 'evicted', capacityType: 'spot' }, 'Azure took spot machines of this size soon after their start'],
  ] as const)('of a dearer machine says that the cheaper size failed lately: %j', (demoted, why) => {
    const types = [size('cheap', { offerings: [sold(0.1, 'z1 spot')] }), size('dear', { offerings: [sold(0.2, 'z1')] })]
    const given = { types, pods: { p: {} }, demoted: [{ size: vmSizeName('cheap'), until: hence(HOUR), ...demoted }] }
    expect(linesOf(given)).toContain(
      `    cheap spot in zone z1, $0.10/h of nodepool default: ${why}, so until 2026-01-01T01:00:00Z it counts as 4 times as dear, and replaces no node to save money`,
    )
    expect(linesOf(given)).toContain('  machine: dear on-demand in zone z1, $0.20/h, the first choice of 2 instance types that fit')
    expect(linesOf({ ...given, types: types.slice(0, 1) })).toContain(
      '  machine: cheap spot in zone z1, $0.10/h, the cheapest of 1 instance type that fit',
    )
  })

  it('of a machine without a price to pay says of the next best what it costs, and no share', () => {
    const types = [size('free', { offerings: [sold(0, 'z1')] }), size('paid', { offerings: [sold(0.1, 'z1')] })]
    expect(linesOf({ types, pods: { p: {} } })).toContain('  next best: paid on-demand in zone z1, $0.10/h')
  })

  it('of a pod that cannot be placed names pools that say the same together', () => {
    const lines = linesOf({ pools: { a: {}, b: {}, c: { taints: 'x' } }, pods: { p: { asks: { cpu: 20 } } } })
    expect(lines).toEqual([
      'pod default/p cannot be placed (SCHEDULING.RESOURCES)',
      '  nodepools b, a: asked 20 cpu, the largest of 6 instance types has 15.9 left for pods, short by 4.1',
      '  nodepool c: untolerated taint x:NoSchedule',
      '  to do: lower the resource requests of the pod, or allow larger instance types in spec.template.spec.requirements of the nodepool',
    ])
  })

  it('of a pod that no pool is asked for says why in one line', () => {
    expect(linesOf({ pools: {}, pods: { p: {} } })).toEqual([
      'pod default/p cannot be placed (POOL.NONE): there is no nodepool; to do: create one',
    ])
  })

  it('of a claim that is there says what it is', () => {
    expect(linesOf({ nodes: { n1: { labels: 'type=small zone=z1' } }, pods: { old: { on: 'n1' }, p: {} } }, 'n1')).toEqual([
      'nodeclaim n1 of nodepool default: ready, node joiner-n1',
      '  machine: small on-demand in zone z1, $0.40/h',
      '  pods: 1 running, 1 expected',
    ])
  })

  const [SMALL, LARGE] = [size('two', { cpus: 2, offerings: [sold(0.1, 'z1')] }), size('five', { cpus: 8, offerings: [sold(0.4, 'z1')] })]
  const FIVE = { labels: 'type=five zone=z1', room: { cpu: 7.9 }, needs: 'type in two five' } as const

  it('of a pod that runs says why there, what the node is and costs, and what would be cheaper now', () => {
    expect(linesOf({ types: [SMALL, LARGE], nodes: { n1: FIVE }, pods: { p: { on: 'n1', asks: { cpu: 3 } } } }, undefined)).toEqual([
      'pod default/p runs on node joiner-n1: the pod was pending when the nodeclaim was created',
      '  nodeclaim n1 of nodepool default: ready, node joiner-n1',
      '    machine: five on-demand in zone z1, $0.40/h, one of 2 instance types that the nodeclaim names',
      '    pods: 1 running',
      '    cheaper, but not taken:',
      '      two on-demand in zone z1, $0.10/h of nodepool default: asked 3 cpu, it has 1.9 left for pods, short by 1.1',
    ])
  })

  it('of a node measures by the pods that are left, not by those it was bought for', () => {
    const n1 = { ...FIVE, bought: { cpu: 2.5, pods: 5 } }
    const given = { types: [SMALL, LARGE], nodes: { n1 }, pods: { old: { on: 'n1', count: 3, asks: { cpu: 0.5 } } } } as const
    expect(linesOf(given, 'n1').slice(-2)).toEqual([
      '  cheaper, but not taken:',
      '    two on-demand in zone z1, $0.10/h of nodepool default: it fits the pods that run on the node now',
    ])
  })

  it('of a node says that the limit of its NodePool leaves no room for a cheaper machine', () => {
    const given = {
      types: [SMALL, LARGE],
      pools: { default: { limits: { cpu: 1 } } },
      nodes: { n1: FIVE },
      pods: { old: { on: 'n1' } },
    } as const
    expect(linesOf(given, 'n1').slice(-2)).toEqual([
      '  cheaper, but not taken:',
      '    two on-demand in zone z1, $0.10/h of nodepool default: limit of cpu: 1 left without the present machine, this instance type needs 2',
    ])
  })

  it('of a machine that is not up says of a cheaper one what the claim says, for no pod is there', () => {
    const n1 = { ...FIVE, stage: 'launched', bought: { cpu: 1 } } as const
    expect(linesOf({ types: [SMALL, LARGE], nodes: { n1 } }, 'n1').slice(-3)).toEqual([
      '  pods: 0 running',
      '  cheaper, but not taken:',
      '    two on-demand in zone z1, $0.10/h of nodepool default: the nodeclaim allows it, and it is available now',
    ])
  })

  const came: { readonly [why: string]: readonly [pod: number, node: number] } = {
    'the pod was pending when the nodeclaim was created': [-1, 2],
    'the nodeclaim existed when the pod was created, and room on existing nodes costs nothing': [1, 2],
    'the node existed when the pod was created, and room on existing nodes costs nothing': [2, 1],
  }
  for (const [why, minutes] of Object.entries(came)) {
    it(`says of a pod that runs: ${why}`, () => {
      const { snapshot } = worldOf({ nodes: { n1: {} }, pods: { p: { on: 'n1' } } })
      const { objects } = snapshot
      const [podAt, nodeAt] = minutes.map((each) => epochMs((objects.nodeClaim[0]?.meta.createdAt ?? NOW) + each * MINUTE))
      const pod = objects.pod.map((each) => ({ ...each, createdAt: podAt ?? NOW }))
      const node = objects.node.map((each) => ({ ...each, meta: { ...each.meta, createdAt: nodeAt ?? NOW } }))
      const result = explainPod({ ...snapshot, objects: { ...objects, pod, node } }, objectKey('default', 'p'))
      expect(result.ok && renderExplanation(result.value, NOW)[0]).toBe(`pod default/p runs on node joiner-n1: ${why}`)
    })
  }

  it('of a pod that a budget holds on a node that goes says that it runs there, who holds it, and where it goes once evicted', () => {
    const lines = linesOf({
      nodes: { n1: { deleting: true }, n2: {} },
      pods: { p: { on: 'n1' } },
      budgets: { web: { of: 'app=p', disruptionsAllowed: 0 } },
    })
    expect(lines.slice(0, 4)).toEqual([
      'pod default/p runs on node joiner-n1, which is being removed since 2026-01-01T00:00:00Z, 0s ago: the pod was pending when the nodeclaim was created',
      '  held on the node by poddisruptionbudget default/web, which allows no disruption now',
      '  to do: run more ready replicas, or allow a disruption in spec of the poddisruptionbudget',
      '  when nothing holds it any more: pod default/p goes to node joiner-n2 (nodeclaim n2), which is up: it has room, and room on existing nodes costs nothing',
    ])
  })

  it('names no zone 0, whoever asks', () => {
    const types = [size('here', { cpus: 2, offerings: [sold(0.1, '0')] }), size('big', { cpus: 8, offerings: [sold(0.4, '0')] })]
    const nodes = { n1: { labels: 'type=big zone=0', room: { cpu: 7.9 } } } as const
    const told = [
      linesOf({ types, pods: { p: {} } }),
      linesOf({ types, nodes, pods: { p: { on: 'n1' } } }),
      linesOf({ types, nodes, pods: { old: { on: 'n1' } } }, 'n1'),
      linesOf({ types, pods: { p: { select: 'zone=z1' } } }),
    ].flat()
    expect(told.filter((line) => /zone 0|\b0,|\[0|=0\b/.test(line))).toEqual([])
    expect(told.join()).toContain('any zone')
  })

  it('stops after six reasons', () => {
    const cheap = Array.from({ length: 8 }, (_, index) => size(`s${index}`, { cpus: index / 10 + 0.2, offerings: [sold(0.1, 'z1')] }))
    const pools = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((index) => [`p${index}`, { taints: `t${index}` }]))
    const lines = linesOf({
      types: [...cheap, size('big', { cpus: 8, offerings: [sold(0.4, 'z1')] })],
      pools: { default: {}, ...pools },
      pods: { p: { asks: { cpu: 3 } } },
    })
    expect(lines.at(-1)).toBe('    and others for 3 more reasons')
    expect(lines).toHaveLength(11)
  })

  const places: { readonly [sentence: string]: { readonly of: PodExplanation; readonly want: string } } = {
    'a node': {
      of: { kind: 'onMachine', pod, machine: 'joiner-a', claim: nodeClaimName('a'), stage: 'up', isNominated: false, gaveUp: 0 },
      want: 'pod default/p goes to node joiner-a (nodeclaim a), which is up: it has room, and room on existing nodes costs nothing',
    },
    'a claim': {
      of: { kind: 'onMachine', pod, machine: 'a', claim: nodeClaimName('a'), stage: 'notLaunched', isNominated: true, gaveUp: 0 },
      want: 'pod default/p goes to nodeclaim a, which is not launched yet: an earlier decision nominated it for the pod',
    },
    'where it runs': {
      of: { kind: 'running', pod, node: nodeName('n'), isDeleting: false, heldBy: [] },
      want: 'pod default/p runs on node n: kube-scheduler chose the node, which has no nodeclaim',
    },
  }
  for (const [sentence, { of, want }] of Object.entries(places)) {
    it(`says of a place: ${sentence}`, () => expect(renderExplanation(of, NOW)).toEqual([want]))
  }

  const waits: { readonly [text: string]: NotPlanned } = {
    'the pod has scheduling gates a, b': { kind: 'gated', gates: ['a', 'b'] },
    'kube-scheduler is about to bind it to node n: the pod waits for preempted pods to end, or for its volumes': {
      kind: 'preempting',
      node: 'n',
    },
    'the pod belongs to a DaemonSet, whose pods run on existing nodes only': { kind: 'daemon' },
    'the pod is a static pod of its node': { kind: 'mirror' },
    'the pod has finished': { kind: 'ended' },
    'the pod is being deleted': { kind: 'deleted' },
    'scheduler volcano (spec.schedulerName) places the pod, and has not refused it; to do: check that this scheduler runs, or remove spec.schedulerName':
      { kind: 'otherScheduler', scheduler: 'volcano' },
    'kube-scheduler has not reported that the pod fits on no node; to do: if this stays for more than a minute, check that kube-scheduler runs':
      { kind: 'untried' },
  }
  for (const [text, because] of Object.entries(waits)) {
    it(`says of a pod that is not planned: ${text}`, () => {
      const lines = renderExplanation({ kind: 'notPlanned', pod, code: 'POD.NOT_PROVISIONABLE', because }, hence(MINUTE))
      expect(lines).toEqual([`pod default/p gets no new node (POD.NOT_PROVISIONABLE): ${text}`])
    })
  }
})
