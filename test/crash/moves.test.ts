import { describe, expect, it } from 'vitest'
import { objectKey, uid } from '../../shared/model/ids.ts'
import { ANNOTATION, TAINT_KEY } from '../../shared/model/labels.ts'
import { nodeNameOf } from '../builders/nodeClaim.ts'
import { pod } from '../builders/pod.ts'
import { closedNodes, createMoveStory, expectNothingWrong, type MoveOptions, PODS, playMove } from './moveStory.ts'
import type { Simulation } from './simulation.ts'

describe('a move of two nodes to two others', () => {
  it('DS-04 SV-04 QU-05 marks, makes the new machines, waits for them, and ends the old ones', async () => {
    const story = await playMove()
    expect(story.took).toBeLessThan(40_000)
    expectNothingWrong(story)
    const { journal, objects } = story.simulation.world
    const order = journal.entries.slice(story.before).map(({ operation, object }) => `${operation} ${object}`)
    const at = (entry: string): number => order.findIndex((each) => each.startsWith(entry))
    expect(at('api.patchNode')).toBeGreaterThan(-1)
    expect(at('api.createClaim')).toBeGreaterThan(at('api.patchNode'))
    expect(at('api.deleteClaim')).toBeGreaterThan(at('api.createClaim'))
    expect(objects.events.map(({ event }) => event.reason)).toEqual(
      expect.arrayContaining(['DisruptionLaunching', 'DisruptionWaitingReadiness', 'DisruptionTerminating']),
    )
    const told = story.simulation.world.telemetry.measures.filter(({ name }) => name === 'move_ms')
    expect(told.map(({ fields }) => fields['outcome'])).toEqual(['done'])
    // As many machines as planned, and no more at any time.
    expect(new Set(journal.entries.flatMap(({ operation, object }) => (operation === 'cloud.createMachine' ? [object] : []))).size).toBe(
      2 * PODS,
    )
  })
})

type Calls = { readonly made: string[]; readonly slipped: () => number | undefined }

/** Counts the API calls since the beginning of the move. Binds a protected pod to the first old node right before call number `n`. */
function slippingAt(n: number, begun: () => Simulation | undefined): Calls & { readonly between: NonNullable<MoveOptions['between']> } {
  const made: string[] = []
  let slipped: number | undefined
  const between: NonNullable<MoveOptions['between']> = (deps) => {
    const api = Object.fromEntries(
      Object.entries(deps.api).map(([name, call]) => [
        name,
        (...given: readonly unknown[]) => {
          const simulation = begun()
          if (simulation !== undefined) {
            made.push(`${name} ${nameIn(given[0])}`)
            if (made.length === n) {
              slipped = made.length
              slipIn(simulation)
            }
          }
          return Reflect.apply(call, deps.api, given)
        },
      ]),
    )
    return { ...deps, api: { ...deps.api, ...api } }
  }
  return { made, slipped: () => slipped, between }
}

function nameIn(given: unknown): string {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null ? String(Reflect.get(given, 'name')) : ''
}

const LATE = pod({ name: 'late', uid: uid('late'), phase: 'Running', annotations: { [ANNOTATION.doNotDisrupt]: 'true' } })

function slipIn({ world: { objects } }: Simulation): void {
  const node = objects.all('node').find(({ name }) => !name.endsWith('-new'))
  if (node !== undefined) objects.put('pod', { ...LATE, nodeName: node.name })
}

describe('a protected pod that is bound to a node of a move (F32)', () => {
  it('keeps the node, whenever it comes before the last look at it', async () => {
    const wrong: unknown[] = []
    let calls = 1
    let kept = 0
    for (let n = 1; n <= calls; n++) {
      let simulation: Simulation | undefined
      const slip = slippingAt(n, () => simulation)
      const story = await createMoveStory({ between: slip.between, prepare: (made) => (simulation = made) })
      const [first] = story.old
      const node = nodeNameOf(first?.name ?? '')
      const until = story.simulation.clock.now() + 60_000
      await story.finish(() => story.simulation.clock.now() > until)
      if (n === 1) calls = Math.min(150, slip.made.length * 2)
      const slipped = slip.slipped()
      if (slipped === undefined || story.simulation.world.objects.get('pod', LATE.key)?.nodeName !== node) break
      const ended = slip.made.indexOf(`deleteClaim ${first?.name}`) + 1
      const looked = slip.made.findIndex((call, index) => index + 1 > slipped && call === `listPodsOn ${node}`) + 1
      if (ended === 0) kept++
      else if (looked > 0 && looked < ended && slipped < ended) wrong.push({ n, around: slip.made.slice(slipped - 2, ended) })
      if (story.wrong.length > 0) wrong.push({ n, wrong: story.wrong })
    }
    expect(kept).toBeGreaterThan(10)
    expect(wrong).toEqual([])
  }, 300_000)
})

describe('a move that cannot be made', () => {
  it('is undone at its deadline when its machines never join: nodes are open, pods stay, nothing is left over', async () => {
    const story = await createMoveStory({
      meanwhile: ({ world: { objects } }) => {
        for (const { name } of objects.all('node')) if (name.endsWith('-new')) objects.remove('node', name)
      },
    })
    const { objects, machines, telemetry } = story.simulation.world
    const before = objects.all('pod').map(({ uid: own }) => own)
    const wasMade = (): boolean => telemetry.lines.some(({ message }) => message.includes(' failed: '))
    const took = await story.finish(
      () =>
        wasMade() &&
        closedNodes(story.simulation).length === 0 &&
        machines.all().length === PODS &&
        objects.all('nodeClaim').length === PODS,
    )
    expect(took).toBeLessThan(130_000)
    expectNothingWrong(story)
    expect(objects.all('pod').map(({ uid: own }) => own)).toEqual(before)
    expect(objects.all('nodeClaim').flatMap(({ status }) => status.conditions.map(({ type }) => type))).not.toContain('DisruptionReason')
  })

  it('buys nothing when a pod comes while its nodes are marked, and opens them at once', async () => {
    let simulation: Simulation | undefined
    const story = await createMoveStory({
      prepare: (made) => (simulation = made),
      between: (deps) => ({
        ...deps,
        api: {
          ...deps.api,
          patchNode: (node, patch, signal) => {
            if (simulation !== undefined) slipIn(simulation)
            return deps.api.patchNode(node, patch, signal)
          },
        },
      }),
    })
    const { objects, journal, clock } = story.simulation.world
    const until = clock.now() + 30_000
    await story.finish(() => clock.now() > until)
    expect(journal.entries.filter(({ operation, object }) => operation === 'api.createClaim' && object.endsWith('-new'))).toEqual([])
    expect(closedNodes(story.simulation)).toEqual([])
    expect(objects.events.filter(({ event }) => event.reason === 'DisruptionBlocked').map(({ count }) => count)).toEqual([1, 1])
    expectNothingWrong(story)
  })

  it('waits while a disruption budget holds a pod, and goes on when it opens', async () => {
    let closedFor = 0
    const story = await createMoveStory({
      meanwhile: ({ world: { objects } }) => {
        const isComing = objects.all('nodeClaim').some(({ name }) => name.endsWith('-new'))
        if (isComing) objects.put('podDisruptionBudget', { ...BUDGET, disruptionsAllowed: ++closedFor > 120 ? PODS : 0 })
      },
    })
    const took = await story.finish()
    expect(took).toBeGreaterThan(30_000)
    expect(took).toBeLessThan(110_000)
    expectNothingWrong(story)
  })
})

const BUDGET = {
  key: objectKey('default', 'web'),
  uid: uid('web'),
  selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
  unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  conditions: [],
} as const

describe('marks that a process left behind', () => {
  it('DS-05 are taken off within a minute, by whichever process looks', async () => {
    const story = await createMoveStory()
    const { objects, clock } = story.simulation.world
    await story.finish()
    const [node] = objects.all('node')
    if (node === undefined) throw new Error('the story has nodes')
    objects.put('node', { ...node, taints: [{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }] })
    const from = clock.now()
    await story.finish(() => closedNodes(story.simulation).length === 0)
    expect(clock.now() - from).toBeLessThan(60_000)
    expect(objects.all('nodeClaim').every(({ meta }) => meta.deletedAt === undefined)).toBe(true)
  })
})
