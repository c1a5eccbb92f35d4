/** Decisions whose steps do not suffice for all pods. */
import { describe, expect, it } from 'vitest'
import { apart, selecting } from '../../bench/scheduling/workloads/shapes.ts'
import { node } from '../../test/builders/node.ts'
import { nodeClaim } from '../../test/builders/nodeClaim.ts'
import { nodePool } from '../../test/builders/nodePool.ts'
import { pod, pods } from '../../test/builders/pod.ts'
import { snapshot } from '../../test/builders/snapshot.ts'
import { uid } from '../model/ids.ts'
import { decide } from './loadedCluster.ts'

const APART = pods(300, { name: 'apart', cpus: 0.5, labels: { app: 'apart' }, podAntiAffinity: apart(selecting({ app: 'apart' })) })
const ALL_MAY_GO = nodePool({ disruption: { budgets: [{ nodes: '100%' }] } })
/** Steps for a few of these pods. */
const FEW_STEPS = 10_000
/** Far fewer steps than a decision may take. */
const ENOUGH_STEPS = 100_000

/** The pods that get new claims, the pods that wait for the next decision, and the machines that go. */
function decided(maxSteps: number | undefined, idle: readonly string[] = []) {
  const { actions, reasons } = decide(
    snapshot({
      settings: maxSteps === undefined ? {} : { maxSteps },
      objects: {
        pod: APART,
        node: idle.map((claim) => node({ claim })),
        nodeClaim: idle.map((name) => nodeClaim({ name })),
        nodePool: [ALL_MAY_GO],
      },
    }),
  )
  return {
    placed: actions.flatMap((action) => (action.kind === 'createClaim' ? action.pods.map(({ key }) => String(key)) : [])),
    waiting: reasons.flatMap(({ code, subject }) => (code === 'SCHEDULING.DEADLINE' ? [subject.name] : [])),
    gone: actions.flatMap((action) => (action.kind === 'deleteClaim' ? [action.claim] : [])),
  }
}

describe('F29: three hundred pods that keep to nodes of their own', () => {
  it('all get their nodes in one decision of few steps', () => {
    for (const steps of [undefined, ENOUGH_STEPS]) expect(decided(steps)).toMatchObject({ placed: { length: 300 }, waiting: [] })
  })

  it('get as many nodes as the steps suffice for, and each of the others says that it waits for the next decision', () => {
    const { placed, waiting } = decided(FEW_STEPS)
    expect(placed.length).toBeGreaterThan(0)
    expect(waiting.length).toBeGreaterThan(0)
    expect([...placed, ...waiting].sort()).toEqual(APART.map(({ key }) => String(key)).sort())
  })
})

describe('pods that fit nowhere before pods that do', () => {
  const nowhere = (index: number) => ({ name: `nowhere-${index}`, cpus: 2, nodeSelector: { team: `team-${index}` } })
  const some = { name: 'fits', cpus: 0.5 }
  const given = snapshot({
    settings: { maxSteps: FEW_STEPS },
    objects: { pod: [...Array.from({ length: 60 }, (_, index) => pod(nowhere(index))), pod(some)] },
  })

  it('use up the steps of one decision, and not of the next', () => {
    const first = decide(given)
    expect(first.actions.filter(({ kind }) => kind === 'createClaim')).toEqual([])
    expect(first).toMatchObject({ wakeAt: given.takenAt, provisioningCursor: expect.anything() })
    let turns = 1
    for (let last = first; last.actions.every(({ kind }) => kind !== 'createClaim'); turns++) {
      expect(turns).toBeLessThan(60)
      last = decide({ ...given, ...(last.provisioningCursor && { provisioningCursor: last.provisioningCursor }) })
    }
  })

  it('let the decision rest once all of them had their turn', () => {
    const small = { requests: {}, createdAt: given.takenAt, uid: uid('z') }
    const { wakeAt, provisioningCursor } = decide({ ...given, provisioningCursor: small })
    expect(provisioningCursor).toBeDefined()
    expect(wakeAt).toBeGreaterThan(given.takenAt)
  })
})

describe('F26: a decision without any step left for pods', () => {
  it('removes empty nodes all the same', () => {
    expect(decided(0, ['default-gpu1', 'default-gpu2'])).toMatchObject({ placed: [], gone: ['default-gpu1', 'default-gpu2'] })
  })
})
