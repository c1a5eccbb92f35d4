import { describe, expect, it } from 'vitest'
import { ago, SECOND } from '../../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { pod, pods } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Action, CreateClaim } from '../../../model/decision.ts'
import { nodeName } from '../../../model/ids.ts'
import { LABEL } from '../../../model/labels.ts'
import { refOf } from '../../../model/pod.ts'
import { usdPerHour } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { decide } from '../../loadedCluster.ts'
import { type Answer, type DecisionSimulator, lookAhead, type Prospect, simulateDecisions } from './lookAhead.ts'

type Objects = NonNullable<SnapshotShape['objects']>

function machines(count: number, podCount = 0): Objects {
  const names = Array.from({ length: count }, (_, index) => `default-n${index}`)
  return {
    node: names.map((claim) => node({ claim })),
    nodeClaim: names.map((name) => nodeClaim({ name })),
    pod: pods(podCount, { nodeName: nodeNameOf('default-n0'), phase: 'Running' }),
  }
}

function looksAhead(objects: Objects, rest: Omit<SnapshotShape, 'objects'> = {}, ending: readonly string[] = []): boolean {
  return outlookOf(objects, rest, ending) !== undefined
}

function outlookOf(objects: Objects, rest: Omit<SnapshotShape, 'objects'> = {}, ending: readonly string[] = []) {
  const simulateDecision = () => ({ actions: [], turn: undefined, places: new Map() })
  const planner = { simulateDecision, ending: new Set(ending), expecting: () => new Map(), relocate: undefined }
  return lookAhead(fleetSnapshotOf(snapshot({ ...rest, objects })), planner, [])
}

describe('moves are played out', () => {
  it.each<[sentence: string, objects: Objects, want: boolean]>([
    ['in a cluster of 32 nodes', machines(32), true],
    ['not in a larger one', machines(33), false],
    ['with a thousand pods', machines(2, 1_000), true],
    ['not with more', machines(2, 1_001), false],
    ['not while a machine is coming up', { ...machines(1), node: [node({ claim: 'default-n0', initialized: false })] }, false],
    [
      'not while a machine goes',
      { ...machines(1), nodeClaim: [nodeClaim({ name: 'default-n0', meta: { deletedAt: ago(SECOND) } })] },
      false,
    ],
  ])('%s', (_sentence, objects, want) => expect(looksAhead(objects)).toBe(want))

  it('not while a move is under way, nor while a machine is about to end', () => {
    expect(looksAhead(machines(2), { commands: [disruptionCommand([nodeClaim({ name: 'default-n0' })])] })).toBe(false)
    expect(looksAhead(machines(2), {}, ['default-n0'])).toBe(false)
  })

  it.each([
    [4, 1_000],
    [8, 500],
    [8, 100],
  ])('at most %i times in a cluster of %i pods, since each time costs as much as its pods', (most, podCount) => {
    expect(outlookOf(machines(2, podCount))?.most).toBe(most)
  })
})

const NOTHING: Answer = { actions: [], turn: undefined, places: new Map() }
const CLAIMS = ['a', 'b']
const { objects, ...context } = snapshot({
  objects: {
    nodeClaim: CLAIMS.map((name) => nodeClaim({ name })),
    node: CLAIMS.map((claim) => node({ claim })),
    pod: [pod({ name: 'p', nodeName: nodeNameOf('a') })],
  },
})
const [gone] = objects.nodeClaim
const [choice] = bought().map((create) => create.choice)
const without: readonly Action[] =
  gone === undefined || choice === undefined
    ? []
    : [
        {
          kind: 'deleteClaim',
          claim: gone.name,
          uid: gone.meta.uid,
          because: 'Underutilized',
          saves: { ...choice, price: usdPerHour(0.3) },
          pods: objects.pod.map(refOf),
        },
      ]

/** What a decision buys for a pod that has no place. */
function bought(): readonly CreateClaim[] {
  const { actions } = decide(snapshot({ objects: { pod: [pod({ name: 'p' })] } }))
  return actions.filter((action): action is CreateClaim => action.kind === 'createClaim')
}

/** What the moves come to when decisions give these answers one after another. After the last, nothing is decided. */
function prospectOf(...answers: readonly Partial<Answer>[]): Prospect {
  let at = 0
  return simulateDecisions(objects, without, context, () => ({ ...NOTHING, ...answers[at++] }))
}

const PLACED = { places: new Map([['default/p', nodeName(nodeNameOf('b'))]]) }

const NEVER = expect.objectContaining({ added: Number.POSITIVE_INFINITY })

describe('moves that are played out', () => {
  it('save what goes when all pods find places', () => {
    expect(prospectOf(PLACED)).toEqual({ added: -300_000, moved: 1 })
  })

  it('do not hold when a pod is left without a place', () => {
    expect(prospectOf()).toEqual(NEVER)
  })

  it('do not hold when something is bought at once that they do not name', () => {
    expect(prospectOf({ actions: bought() })).toEqual(NEVER)
  })

  it('cost what is bought later', () => {
    expect(prospectOf(PLACED, { actions: bought() })).toEqual({ added: -300_000 + (choice?.price ?? 0), moved: 1 })
  })

  it('see a machine that is bought as an initialized node with its labels', () => {
    const states: Parameters<DecisionSimulator>[0][] = []
    simulateDecisions(objects, [...without, ...bought()], context, (state) => {
      states.push(state)
      return NOTHING
    })
    const [name] = bought().map(({ draft }) => draft.name)
    const claim = states[0]?.nodeClaim.find((each) => each.name === name)
    const made = states[0]?.node.find((each) => each.name === claim?.status.nodeName)
    expect(made?.meta.labels).toMatchObject({
      [LABEL.hostname]: made?.name,
      [LABEL.registered]: 'true',
      [LABEL.initialized]: 'true',
      [LABEL.nodePool]: 'default',
      [LABEL.zone]: choice?.zone,
    })
  })

  it('count a pod again that a later decision moves', () => {
    expect(prospectOf(PLACED, { actions: without })).toMatchObject({ moved: 2 })
  })

  it('have no worth when there is no end', () => {
    expect(simulateDecisions(objects, without, context, () => ({ ...NOTHING, ...PLACED }))).toEqual(NEVER)
  })
})
