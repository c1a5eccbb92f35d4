import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { instance } from '../../../test/builders/instance.ts'
import { node } from '../../../test/builders/node.ts'
import { DEFAULT_SIZE, nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { kindsOf, observation } from '../../../test/builders/observation.ts'
import type { ClaimObservation } from '../../model/claimStep.ts'
import { zoneName } from '../../model/ids.ts'
import type { LaunchRefusal } from '../../model/instance.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { stepLoss } from './loss.ts'

const refusal: LaunchRefusal = { problem: { code: 'AZURE.ALLOCATION.ZONE', message: 'no room' }, unavailable: [], then: 'next' }
const failed = instance({ state: { kind: 'failed', refusal } })
const gone = node({ meta: { deletedAt: ago(SECOND) } })
const launchedFor = (ms: number) =>
  nodeClaim({ stage: 'launched', status: { conditions: [condition('Launched', { lastTransitionAt: ago(ms) })] } })
const running = { claim: nodeClaim(), instance: instance(), nodes: [node()] }

const CASES: { readonly [sentence: string]: readonly [given: Partial<ClaimObservation>, code: ProblemCode | undefined, words?: string] } = {
  'a claim whose machine and node are well is not lost': [running, undefined],
  'a node that somebody deletes takes its claim along': [{ ...running, nodes: [gone] }, 'CLAIM.NODE_DELETED', 'joiner-default-aaaaa'],
  'a node that somebody deletes and that others hold does not': [
    { ...running, nodes: [{ ...gone, meta: { ...gone.meta, finalizers: ['x'] } }] },
    undefined,
  ],
  'a node that is gone takes its claim along': [{ ...running, nodes: [] }, 'CLAIM.NODE_DELETED', 'nodeclaim default-aaaaa'],
  'a node that is gone does so though nobody asked for its machine': [{ ...running, nodes: [], instance: 'unseen' }, 'CLAIM.NODE_DELETED'],
  'a node that has not come yet is not gone': [{ ...running, claim: launchedFor(MINUTE), nodes: [] }, undefined],
  'a machine that Azure failed to make ends its claim': [
    { claim: launchedFor(MINUTE), instance: failed },
    'AZURE.ALLOCATION.ZONE',
    'failed: no room',
  ],
  'a machine that failed under a node that joined is left to its node': [{ ...running, instance: failed }, undefined],
  'a machine that is being made is none that failed': [
    { claim: launchedFor(MINUTE), instance: instance({ state: { kind: 'creating' } }) },
    undefined,
  ],
  'a machine that is gone ends its claim': [{ claim: launchedFor(30 * SECOND) }, 'CLAIM.INSTANCE_GONE', 'nodeclaim default-aaaaa'],
  'a machine that Azure may not show yet is not gone': [{ claim: launchedFor(30 * SECOND - 1) }, undefined],
  'a machine that nobody asked for is not gone': [{ claim: launchedFor(MINUTE), instance: 'unseen' }, undefined],
  'a machine that nobody launched is not gone': [{ claim: nodeClaim({ stage: 'created' }) }, undefined],
  'a machine is not gone while one of its nodes is ready': [{ claim: nodeClaim(), nodes: [node({ ready: false }), node()] }, undefined],
  'a machine is gone when none of its nodes is ready': [{ claim: nodeClaim(), nodes: [node({ ready: false })] }, 'CLAIM.INSTANCE_GONE'],
}

describe('what a claim has lost', () => {
  it.each(Object.entries(CASES))('%s', (_sentence, [given, code, words = '']) => {
    const step = stepLoss(observation(given))
    if (code === undefined) return expect(step).toBeUndefined()
    expect(step).toMatchObject({
      reasons: [{ code, subject: { kind: 'nodeClaim', name: 'default-aaaaa' }, message: expect.stringContaining(words) }],
      wakeAt: NOW,
    })
    expect(step?.actions.at(-1)).toMatchObject({ kind: 'deleteClaim', code })
    expect(step?.actions.at(-2)).toMatchObject({ event: { type: 'Warning', message: step?.reasons[0]?.message } })
  })

  it('keeps others from the offerings that failed, and its NodeClass from the size where Azure named none', () => {
    const unavailable: LaunchRefusal['unavailable'] = [
      { scope: { kind: 'capacityType', capacityType: 'spot' }, until: NOW, code: 'AZURE.ALLOCATION.ZONE', message: '' },
    ]
    const marked = instance({ state: { kind: 'failed', refusal: { ...refusal, unavailable } } })
    const actions = (machine: typeof failed) => stepLoss(observation({ claim: launchedFor(MINUTE), instance: machine }))?.actions ?? []
    for (const [machine, offerings, reported] of [
      [marked, unavailable, []],
      [failed, [{ scope: { kind: 'offering', size: DEFAULT_SIZE, nodeClass: { name: 'default' } } }], ['reportSize']],
    ] as const) {
      expect(actions(machine)[0]).toMatchObject({ kind: 'markUnavailable', offerings })
      const then = ['patchStatus', 'publish AsyncProvisioningError', 'deleteClaim']
      expect(kindsOf(actions(machine))).toEqual(['markUnavailable', ...reported, ...then])
    }
  })

  it.each<[sentence: string, capacityType: string, avoided: readonly string[], scopes: readonly object[] | undefined]>([
    ['F20 of a spot machine keeps others from its size in its zone', 'spot', [], [{ zone: 'eastus-1' }]],
    ['F20 and in all zones where it was lost in another one before', 'spot', ['eastus-2'], [{ zone: 'eastus-1' }, {}]],
    ['of an on-demand machine keeps nobody from anything', 'on-demand', ['eastus-2'], undefined],
  ])('%s', (_sentence, capacityType, avoided, scopes) => {
    const offering = { kind: 'offering', size: DEFAULT_SIZE, capacityType: 'spot' } as const
    const unavailable = avoided.map((zone) => {
      const scope = { ...offering, zone: zoneName(zone) }
      return { scope, until: hence(MINUTE), code: 'AZURE.ALLOCATION.ZONE', message: '' } as const
    })
    const claim = nodeClaim({ capacityType, status: { conditions: [condition('Launched', { lastTransitionAt: ago(MINUTE) })] } })
    const actions = stepLoss(observation({ claim, unavailable }))?.actions ?? []
    const marked = actions.flatMap((action) => (action.kind === 'markUnavailable' ? action.offerings : []))
    expect(marked.map(({ scope }) => scope)).toEqual((scopes ?? []).map((each) => ({ ...offering, ...each })))
    expect(marked.every(({ until }) => until === hence(10 * MINUTE))).toBe(true)
    expect(actions.filter(({ kind }) => kind === 'reportSize')).toEqual(
      scopes === undefined ? [] : [{ kind: 'reportSize', failure: 'evicted' }],
    )
  })
})
