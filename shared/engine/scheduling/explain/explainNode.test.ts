import { describe, expect, it } from 'vitest'
import { size, sold } from '../../../../test/scenarios/fixtureTypes.ts'
import { worldOf } from '../../../../test/scenarios/givenWorld.ts'
import type { Given } from '../../../../test/scenarios/scenario.ts'
import { LABEL } from '../../../model/labels.ts'
import { decideProvisioning } from '../planningState.ts'
import { explainNode } from './explainPod.ts'

const TYPES = [
  size('cheap', { cpus: 2, memoryGib: 2, offerings: [sold(0.1, 'z1'), sold(0.05, 'z2')] }),
  size('dear', { cpus: 8, memoryGib: 16, offerings: [sold(1, 'z1'), sold(1.1, 'z1 spot')] }),
]
const DEAR = { labels: 'type=dear zone=z1 capacity=on-demand' } as const

describe('a claim', () => {
  const table: { readonly [sentence: string]: { readonly given: Given; readonly name: string; readonly want: object } } = {
    'that is there says what it was launched as, who is on it and who is on the way': {
      given: { types: TYPES, nodes: { n1: { ...DEAR, needs: 'type in cheap dear' } }, pods: { old: { on: 'n1' }, p: {} } },
      name: 'n1',
      want: {
        kind: 'there',
        name: 'n1',
        node: expect.stringContaining('n1'),
        pool: 'default',
        stage: 'initialized',
        choice: { size: 'dear', zone: 'z1', capacityType: 'on-demand', price: 1_000_000 },
        running: ['default/old'],
        expected: ['default/p'],
        cheaper: [{ sizes: ['cheap'], choice: { size: 'cheap', zone: 'z2', price: 50_000 }, because: { kind: 'now' } }],
      },
    },
    'says what of its own wishes a cheaper machine would not meet': {
      given: { types: TYPES, nodes: { n1: { stage: 'created', needs: 'type=dear, zone=z1' } } },
      name: 'n1',
      want: {
        stage: 'created',
        choice: { size: 'dear', zone: 'z1' },
        cheaper: [
          { choice: { size: 'cheap', zone: 'z2' }, because: { kind: 'labels', whose: 'claim', labels: [LABEL.instanceType, LABEL.zone] } },
          { choice: { size: 'cheap', zone: 'z1' }, because: { kind: 'labels', whose: 'claim', labels: [LABEL.instanceType] } },
        ],
      },
    },
    'that is not launched says what a launch would take now': {
      given: { types: TYPES, nodes: { n1: { stage: 'draft', needs: 'type in cheap dear, zone=z1' } } },
      name: 'n1',
      want: { kind: 'there', stage: 'draft', choice: { size: 'cheap', zone: 'z1' }, running: [], expected: [] },
    },
    'that nothing can be bought for says so': {
      given: { types: TYPES, nodes: { n1: { stage: 'created', needs: 'type=dear, zone=z3' } } },
      name: 'n1',
      want: { kind: 'there', stage: 'created', cheaper: [] },
    },
    'that is launched': { given: { types: TYPES, nodes: { n1: { ...DEAR, stage: 'launched' } } }, name: 'n1', want: { stage: 'launched' } },
    'whose node comes up': {
      given: { types: TYPES, nodes: { n1: { ...DEAR, stage: 'registered' } } },
      name: 'n1',
      want: { stage: 'registered' },
    },
    'that goes': { given: { types: TYPES, nodes: { n1: { ...DEAR, deleting: true } } }, name: 'n1', want: { stage: 'deleting' } },
    'may be called by its node': { given: { types: TYPES, nodes: { n1: DEAR } }, name: 'joiner-n1', want: { kind: 'there', name: 'n1' } },
  }
  for (const [sentence, { given, name, want }] of Object.entries(table)) {
    it(sentence, () => expect(explainNode(worldOf(given).snapshot, name)).toMatchObject({ ok: true, value: want }))
  }

  it('that is asked for now is the one of the decision', () => {
    const { snapshot } = worldOf({ types: TYPES, pods: { p: { asks: { cpu: 3 } } } })
    const [create] = decideProvisioning(snapshot).actions.flatMap((action) => (action.kind === 'createClaim' ? [action] : []))
    const { choice, nextBest, alternatives } = create ?? {}
    expect(explainNode(snapshot, create?.draft.name ?? '')).toMatchObject({
      ok: true,
      value: {
        kind: 'new',
        claim: {
          name: create?.draft.name,
          choice,
          nextBest,
          alternatives,
          cheaper: [{ sizes: [expect.any(String)], because: { kind: 'amount' } }],
        },
      },
    })
  })

  it('nobody knows is refused', () => {
    const result = explainNode(worldOf({ nodes: { own: { pool: null } } }).snapshot, 'other')
    expect(result).toMatchObject({ ok: false, error: { code: 'CLAIM.NOT_FOUND', message: expect.stringContaining('other is not known') } })
  })

  it('is refused for a node that no claim made', () => {
    const result = explainNode(worldOf({ nodes: { own: { pool: null } } }).snapshot, 'own')
    expect(result).toMatchObject({ ok: false, error: { code: 'CLAIM.NOT_FOUND', message: expect.stringContaining('has no nodeclaim') } })
  })
})
