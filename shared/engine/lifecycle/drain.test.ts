import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { type NodeShape, node } from '../../../test/builders/node.ts'
import { nodeClaim, providerIdOf } from '../../../test/builders/nodeClaim.ts'
import { observation, writtenCondition } from '../../../test/builders/observation.ts'
import { DAEMON_SET, NODE_OWNER, type PodShape, pod } from '../../../test/builders/pod.ts'
import type { HeldPod } from '../../model/claimStep.ts'
import { DEFAULT_MACHINE_NAMES as NAMES, objectKey } from '../../model/ids.ts'
import { ANNOTATION, LABEL, TAINT_KEY } from '../../model/labels.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import type { Pod } from '../../model/pod.ts'
import type { Taint } from '../../model/taint.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { beginDrain, closeNode, drainPods, drainReports, nextDue, otherNodes, waitingPods } from './drain.ts'

const here = (name: string, shape: PodShape = {}): Pod => pod({ name, ...shape, nodeName: 'n' })
const nameOf = ({ key }: Pod): string => key.replace('default/', '')

function drained(pods: readonly Pod[], deadline?: EpochMs): readonly string[] {
  return drainPods(observation(), pods, deadline).map((action) =>
    action.kind === 'deletePod'
      ? `delete ${nameOf(action.pod)} ${action.gracePeriodSeconds}s`
      : action.kind === 'evictPod'
        ? `evict ${nameOf(action.pod)}`
        : '',
  )
}

describe('a drain', () => {
  it('waits for pods by name, but not for those that stay with the node', () => {
    const pods = [here('b'), here('static', { owner: NODE_OWNER }), here('a'), here('done', { phase: 'Failed' })]
    expect(waitingPods(observation({ pods })).map(nameOf)).toEqual(['a', 'b'])
  })

  it('takes tier after tier: pods, daemons, critical pods, critical daemons', () => {
    const critical = { priorityClassName: 'system-cluster-critical' }
    const tiers = [
      here('web'),
      here('agent', { owner: DAEMON_SET }),
      here('dns', critical),
      here('cni', { ...critical, owner: DAEMON_SET }),
    ]
    const seen = tiers.map((_, at) => drained(tiers.slice(at).reverse()))
    expect(seen).toEqual([['evict web'], ['evict agent'], ['evict dns'], ['evict cni']])
  })

  it.each<[sentence: string, shape: PodShape, deadlineInSeconds: number, want: readonly string[]]>([
    ['a pod that would end with the deadline is evicted', { terminationGracePeriodSeconds: 30 }, 30, ['evict p']],
    ['NT-22 a pod that would outlast the deadline is deleted', { terminationGracePeriodSeconds: 31 }, 30, ['delete p 30s']],
    ['a pod that would outlast a deadline that is over gets a second', { terminationGracePeriodSeconds: 0 }, -5, ['delete p 1s']],
    ['a pod that gets whole seconds', { terminationGracePeriodSeconds: 60 }, 10.9, ['delete p 10s']],
    ['a pod that names no grace is left to its eviction', {}, -5, ['evict p']],
    ['a pod that ends with the deadline is left alone', { deletedAt: hence(30 * SECOND), terminationGracePeriodSeconds: 600 }, 30, []],
    ['NT-25 a pod that ends after the deadline is deleted again', { deletedAt: hence(31 * SECOND) }, 30, ['delete p 30s']],
    ['a pod that has ended needs nothing', { phase: 'Succeeded', terminationGracePeriodSeconds: 600 }, 30, []],
  ])('%s', (_sentence, shape, seconds, want) => {
    expect(drained([here('p', shape)], hence(seconds * SECOND))).toEqual(want)
  })

  it('without a deadline deletes nothing', () => {
    expect(drained([here('p', { terminationGracePeriodSeconds: 86_400 }), here('q', { deletedAt: hence(MINUTE) })])).toEqual(['evict p'])
  })
})

describe('the next time at which pods are asked to leave', () => {
  const [fast, slow, unspoken] = [
    here('fast', { terminationGracePeriodSeconds: 10 }),
    here('slow', { terminationGracePeriodSeconds: 60 }),
    here('unspoken'),
  ]
  const due = (now: EpochMs, pods: readonly Pod[], deadline: EpochMs | undefined = hence(2 * MINUTE)) =>
    nextDue(observation({ now }), pods, deadline)

  it('NT-24 is when the first pod would outlast it, and no sooner', () => {
    const at = hence(MINUTE) + 1
    expect(due(NOW, [fast, slow, unspoken])).toBe(at)
    expect(drainPods(observation({ now: epochMs(at) }), [slow], hence(2 * MINUTE)).map(({ kind }) => kind)).toEqual(['deletePod'])
    expect(drainPods(observation({ now: epochMs(at - 1) }), [slow], hence(2 * MINUTE)).map(({ kind }) => kind)).toEqual(['evictPod'])
  })

  it('is the next one once that has come', () => {
    expect(due(epochMs(hence(MINUTE) + 1), [fast, slow])).toBe(hence(110 * SECOND) + 1)
  })

  it('is when a pod that must not be disrupted for a time may go, with a deadline and without', () => {
    const kept = (name: string, forTime: string) =>
      here(name, { annotations: { [ANNOTATION.doNotDisrupt]: forTime }, startedAt: ago(10 * SECOND) })
    const pods = [kept('long', '40s'), kept('short', '30s'), kept('over', '5s'), kept('always', 'true'), fast]
    expect(nextDue(observation(), pods, undefined)).toBe(hence(20 * SECOND))
    expect(due(NOW, pods)).toBe(hence(20 * SECOND))
    expect(due(NOW, pods, hence(15 * SECOND))).toBe(hence(5 * SECOND) + 1)
    expect(nextDue(observation({ now: hence(20 * SECOND) }), pods, undefined)).toBe(hence(30 * SECOND))
  })

  it('is at no time when all have come, when no pod names its grace, and without a deadline', () => {
    expect(due(hence(2 * MINUTE), [fast, slow])).toBeUndefined()
    expect(due(NOW, [unspoken])).toBeUndefined()
    expect(nextDue(observation(), [fast], undefined)).toBeUndefined()
    expect(due(NOW, [fast], ago(MINUTE))).toBeUndefined()
  })
})

const claim = nodeClaim({ meta: { deletedAt: ago(SECOND) } })
const ANNOTATED = `annotation ${ANNOTATION.doNotDisrupt}`

function draining(names: readonly string[], annotated: readonly string[] = []) {
  const annotations = (name: string) => (annotated.includes(name) ? { [ANNOTATION.doNotDisrupt]: 'true' } : {})
  const pods = names.map((name) => pod({ name, nodeName: node().name, annotations: annotations(name) }))
  return observation({ claim, nodes: [node()], pods })
}

const heldBy = (by: string, ...names: readonly string[]): readonly HeldPod[] =>
  names.map((name) => ({ pod: objectKey('default', name), by }))
const messageOf = (actions: Parameters<typeof writtenCondition>[0]) => writtenCondition(actions, 'Drained')

describe('a drain says how many pods it waits for', () => {
  it.each<[names: readonly string[], words: string]>([
    [[], 'waiting for late pods'],
    [['a'], '1 pod is waiting to be evicted'],
    [['a', 'b'], '2 pods are waiting to be evicted'],
  ])('%j', (names, words) => {
    expect(messageOf(drainReports(draining(names), []))).toMatchObject({ status: 'Unknown', reason: 'Draining', message: words })
  })
})

describe('a drain names who holds pods', () => {
  it('each with its pods, in the order of names', () => {
    const held = [...heldBy('poddisruptionbudget b', 'z', 'a'), ...heldBy('poddisruptionbudget a', 'c')]
    const actions = drainReports(draining(['a', 'c', 'held', 'z'], ['held']), held)
    const words = [
      `${ANNOTATED} holds pod default/held`,
      'poddisruptionbudget a holds pod default/c',
      'poddisruptionbudget b holds pods default/a, default/z',
    ]
    expect(messageOf(actions)?.message).toBe(['4 pods are waiting to be evicted', ...words].join('; '))
    const events = actions.flatMap((action) => (action.kind === 'publish' ? [action.event] : []))
    expect(events.map(({ subject, type, reason, message }) => [subject.kind, type, reason, message.split('; ')[0]])).toEqual(
      words.flatMap((each) => [
        ['nodeClaim', 'Warning', 'FailedDraining', each],
        ['node', 'Warning', 'FailedDraining', each],
      ]),
    )
    expect(new Set(events.map(({ key }) => key)).size).toBe(3)
  })

  it('as the same event while their pods change, so that the event counts', () => {
    const keyOf = (...names: readonly string[]) =>
      drainReports(draining(names), heldBy('x', ...names)).flatMap((action) => (action.kind === 'publish' ? [action.event.key] : []))
    expect(keyOf('a', 'b')).toEqual(keyOf('b'))
  })

  it.each([
    [3, 'pods default/p0, default/p1, default/p2'],
    [4, 'pods default/p0, default/p1, default/p2 and 1 more'],
    [9, 'pods default/p0, default/p1, default/p2 and 6 more'],
  ])('%d pods: at most three of them', (count, words) => {
    const names = Array.from({ length: count }, (_, at) => `p${at}`)
    expect(messageOf(drainReports(draining(names), heldBy('x', ...names)))?.message.endsWith(`x holds ${words}`)).toBe(true)
  })
})

describe('what a drain says', () => {
  it('at its beginning names the pods that users hold, and tells nobody else', () => {
    const actions = beginDrain(draining(['held', 'web'], ['held']), draining(['held', 'web'], ['held']).pods)
    expect(actions).toHaveLength(1)
    expect(messageOf(actions)?.message).toBe(`2 pods are waiting to be evicted; ${ANNOTATED} holds pod default/held`)
  })

  it('is not written again while it is the same', () => {
    const [written] = drainReports(draining(['a']), [])
    if (written?.kind !== 'patchStatus') expect.fail('nothing is written')
    const before = { ...draining(['a']), claim: { ...claim, status: written.status } }
    expect(drainReports(before, [])).toEqual([])
    expect(written.status.conditions).toContainEqual(
      expect.objectContaining(condition('Launched', { observedGeneration: claim.meta.generation })),
    )
  })
})

const CLOSED: Taint = { key: TAINT_KEY.disrupted, effect: 'NoSchedule' }
const EXCLUDED = { [LABEL.excludeFromLoadBalancers]: 'karpenter' }

const OPEN: { readonly [sentence: string]: NodeShape } = {
  'without taint and label': {},
  'with the taint only': { taints: [CLOSED] },
  'with the label only': { meta: { labels: EXCLUDED } },
  'with a taint of the same key and another effect': { taints: [{ ...CLOSED, effect: 'NoExecute' }], meta: { labels: EXCLUDED } },
  'with another taint of the same effect': { taints: [{ ...CLOSED, key: 'own' }], meta: { labels: EXCLUDED } },
}

describe('a node that goes', () => {
  it.each(Object.entries(OPEN))('%s gets taint and label, beside its own, and is deleted', (_sentence, shape) => {
    const before = node(shape)
    const [patch, deletion, ...others] = closeNode(before)
    if (patch?.kind !== 'patchNode') expect.fail('it is not closed')
    expect(patch.patch.labels).toEqual({ ...before.meta.labels, ...EXCLUDED })
    const own = before.taints.filter(({ key }) => key === 'own')
    expect(patch.patch.taints).toEqual([...own, CLOSED])
    expect([deletion, ...others]).toEqual([{ kind: 'deleteNode', node: before }])
  })

  it('and is closed is left alone, whoever excluded it from load balancers and whatever value they gave', () => {
    const shape = { taints: [CLOSED], meta: { labels: { [LABEL.excludeFromLoadBalancers]: '' } } }
    expect(closeNode(node(shape)).map(({ kind }) => kind)).toEqual(['deleteNode'])
    expect(closeNode(node({ ...shape, meta: { ...shape.meta, deletedAt: ago(SECOND) } }))).toEqual([])
  })
})

const CLAIM = nodeClaim()
/** A node of the claim's machine under a name of its own. */
const twin = (name: string, ready = true): Node =>
  node({ name, providerId: providerIdOf(CLAIM.name), ready, meta: { labels: { [LABEL.nodeClass]: 'default' } } })
const found = (nodes: readonly Node[], claims: readonly NodeClaim[] = [CLAIM]) => [...otherNodes(nodes, claims, NAMES)]

describe('nodes of a machine under other names', () => {
  it('are none where each machine has its node', () => {
    expect(found([node(), node({ claim: 'default-bbbbb' })], [CLAIM, nodeClaim({ name: 'default-bbbbb' })])).toEqual([])
    expect(found([node({ name: 'aks-system-vmss000000' })])).toEqual([])
  })

  it('are found by provider id, whether or not its own node is there, in the order of their names', () => {
    expect(found([twin('twin-b'), node(), twin('twin-a')])).toEqual([['default-aaaaa', ['twin-a', 'twin-b']]])
    expect(found([twin('renamed')])).toEqual([['default-aaaaa', ['renamed']]])
  })

  it('are asked about until a claim that says so says it no more', () => {
    const conditions = [condition('Launched'), condition('Registered', { status: 'False', reason: 'MultipleNodesFound' })]
    const waiting = nodeClaim({ stage: 'launched', status: { conditions } })
    expect(found([node()], [waiting])).toEqual([['default-aaaaa', []]])
  })

  it('are those that a claim left behind, unless they are ready or nobody of ours made them', () => {
    expect(found([twin('renamed', false)], [])).toEqual([['default-aaaaa', ['renamed']]])
    expect(found([twin('renamed')], [])).toEqual([])
    expect(found([node({ name: 'renamed', providerId: providerIdOf('x'), ready: false })], [])).toEqual([])
    // Under its own name the node is found by its name.
    expect(found([node({ ready: false })], [])).toEqual([])
  })
})
