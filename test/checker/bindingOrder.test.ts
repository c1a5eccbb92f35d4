import { describe, expect, it } from 'vitest'
import { uid } from '../../shared/model/ids.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { ago, SECOND } from '../builders/clock.ts'
import { daemonSet } from '../builders/daemonSet.ts'
import { type PodShape, pod } from '../builders/pod.ts'
import { type PodToBind, unboundPods } from './bindingOrder.ts'
import type { NodeView } from './nodeView.ts'
import { near } from './testing/shapes.ts'

const DOMAIN = 'domain'

function viewOf(name: string, shape: Partial<NodeView> = {}): NodeView {
  return {
    name,
    title: `node ${name}`,
    labels: { [DOMAIN]: name },
    taints: [],
    allocatable: {},
    bound: [],
    daemons: [],
    isNew: false,
    mayJoinLater: false,
    diskLimits: {},
    ...shape,
  }
}

const ONE = viewOf('one')
const TWO = viewOf('two')

type Shape = { readonly at?: NodeView; readonly app?: string; readonly shape?: PodShape }

function coming(name: string, { at = ONE, app = name, shape = {} }: Shape = {}): PodToBind {
  return { pod: pod({ name, labels: { app }, ...shape }), nodes: [at] }
}

const beside = (app: string): PodShape => ({ podAffinity: { required: [near(DOMAIN, app)], preferred: [] } })
const apartFrom = (app: string): PodShape => ({ podAntiAffinity: { required: [near(DOMAIN, app)], preferred: [] } })
const spreadOf = (app: string): PodShape => ({
  topologySpread: [
    {
      maxSkew: 1,
      topologyKey: DOMAIN,
      whenUnsatisfiable: 'DoNotSchedule',
      selector: { matchLabels: { app }, matchExpressions: [] },
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      matchLabelKeys: [],
    },
  ],
})

const names = (pods: readonly { readonly pod: Pod }[]): readonly string[] => pods.map(({ pod: { key } }) => key)
const stuck = (all: readonly PodToBind[], nodes: readonly NodeView[] = [ONE, TWO]): readonly string[] => names(unboundPods(nodes, all, []))

/** With so many groups, a random order is never right for all of them. */
const GROUPS = Array.from({ length: 14 }, (_, index) => `g${index}`)

describe('pods that can be bound in some order', () => {
  it('are not stuck, whichever waits for which', () => {
    const chain = GROUPS.map((name, index) => coming(name, index + 1 < GROUPS.length ? { shape: beside(GROUPS[index + 1] ?? '') } : {}))
    expect(stuck(chain)).toEqual([])
    expect(stuck(chain.toReversed())).toEqual([])
    const [, ...broken] = chain.toReversed()
    expect(stuck(broken)).toHaveLength(GROUPS.length - 1)
  })

  /** The first pod of each pair must be bound first. The plan lists it last. */
  const pairs = (first: PodShape, second: PodShape) => {
    const of = (shape: PodShape, kind: string) =>
      GROUPS.map((app) => coming(`${app}-${kind}`, { app, shape: { ...spreadOf(kind === 'first' ? app : 'none'), ...shape } }))
    return [...of(second, 'second'), ...of(first, 'first')]
  }

  it.each([
    { name: 'more cpu', first: { cpus: 2 }, second: { cpus: 1, memoryGib: 9 } },
    { name: 'more memory', first: { memoryGib: 2 }, second: { memoryGib: 1, createdAt: ago(99 * SECOND) } },
    { name: 'the earlier', first: { createdAt: ago(2 * SECOND), uid: uid('z') }, second: { createdAt: ago(SECOND), uid: uid('a') } },
    { name: 'the lesser uid', first: { uid: uid('a') }, second: { uid: uid('b') } },
    { name: 'what is planned first', first: {}, second: { cpus: 2 }, isReversed: true },
  ])('are not stuck where they come in the order of $name', ({ first, second, isReversed = false }) => {
    const planned = pairs(first, second)
    expect(stuck(isReversed ? planned.toReversed() : planned)).toEqual([])
  })

  it('are not stuck where those that spread must come before those that want company', () => {
    const all = GROUPS.flatMap((app) => [
      coming(`${app}-friend`, { app, shape: { cpus: 2, ...beside(app) } }),
      coming(`${app}-spread`, { app, shape: spreadOf(app) }),
    ])
    expect(stuck(all)).toEqual([])
  })

  it('are not stuck where those that want company must come before those that spread', () => {
    const all = GROUPS.flatMap((app) => [
      coming(`${app}-spread`, { app, shape: { cpus: 2, ...spreadOf(app) } }),
      coming(`${app}-friend`, { app, at: TWO, shape: beside(app) }),
    ])
    expect(stuck(all)).toEqual([])
  })

  it('are not stuck where those that keep apart must come before daemons', () => {
    const fresh = GROUPS.map((app) => {
      const { pod: daemon } = daemonSet({ name: app, namespace: 'default', labels: { app: `${app}-daemon` } })
      return viewOf(`new-${app}`, { isNew: true, daemons: [daemon], labels: { [DOMAIN]: 'one' } })
    })
    const all = GROUPS.flatMap((app, index) => [
      coming(`${app}-friend`, { ...(fresh[index] && { at: fresh[index] }), app, shape: { cpus: 2, ...beside(app) } }),
      coming(`${app}-aloof`, { shape: apartFrom(`${app}-daemon`) }),
    ])
    expect(stuck(all, [ONE, TWO, ...fresh])).toEqual([])
  })
})

describe('pods that cannot be bound in any order', () => {
  it('are as few as may be, each with its reason', () => {
    const all = [coming('x', { shape: apartFrom('y') }), coming('y'), coming('z')]
    const found = unboundPods([ONE], all, [])
    expect(found).toHaveLength(1)
    expect(found[0]?.refusal.rule).toBe('antiAffinity')
  })

  it('have no place where their node is not there', () => {
    const [nowhere] = unboundPods([ONE], [{ pod: pod(), nodes: [] }], [])
    const [elsewhere] = unboundPods([ONE], [coming('x', { at: TWO })], [])
    for (const each of [nowhere, elsewhere]) {
      expect(each?.refusal.rule).toBe('target')
      expect(each?.refusal.message).not.toBe('')
    }
  })

  it('may be bound to the second of two nodes', () => {
    const wherever = { pod: pod({ name: 'x', ...apartFrom('y') }), nodes: [ONE, TWO] }
    expect(stuck([coming('y'), wherever])).toEqual([])
  })
})
