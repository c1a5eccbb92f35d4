import { describe, expect, it } from 'vitest'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { Action, CreateClaim } from '../../../model/decision.ts'
import { nodeName } from '../../../model/ids.ts'
import { LABEL } from '../../../model/labels.ts'
import { refOf } from '../../../model/podRef.ts'
import { usdPerHour } from '../../../model/units.ts'
import { decide } from '../../loadedCluster.ts'
import { type Answer, type DecisionSimulator, type Prospect, simulateDecisions } from './simulateDecisions.ts'

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
