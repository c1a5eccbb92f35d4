import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pods } from '../../../test/builders/pod.ts'
import { snapshot } from '../../../test/builders/snapshot.ts'
import type { Condition } from '../../model/condition.ts'
import type { Decision } from '../../model/decision.ts'
import { nodeClaimName, nodePoolName, uid } from '../../model/ids.ts'
import type { Node } from '../../model/node.ts'
import type { NodeClaim } from '../../model/nodeClaim.ts'
import { CREATION_PAUSED, type RegistrationOutcome } from '../../model/nodePool.ts'
import { formatTimestamp } from '../../model/time.ts'
import { type EpochMs, epochMs } from '../../model/units.ts'
import { decide } from '../loadedCluster.ts'
import { REGISTRATION_HEALTH, registrationHealth } from './registrationHealth.ts'

const whose = (index: number) => ({ claim: nodeClaimName(`default-${index}`), uid: uid(`${index}`), createdAt: NOW })

/** `+` joined, `-` did not; oldest first. */
function outcomes(text: string): readonly RegistrationOutcome[] {
  return text
    .split('')
    .map((sign, index) =>
      sign === '+'
        ? { joined: true, ...whose(index) }
        : { joined: false, ...whose(index), reason: 'RegistrationFailed', message: `claim ${index} never joined` },
    )
}

type Case = { readonly said?: Partial<Condition>; readonly classGeneration?: number; readonly seen: string; readonly want: string }

const CASES: { readonly [sentence: string]: Case } = {
  'a new pool is not known to be healthy': { seen: '', want: 'Unknown' },
  'a first node makes it healthy': { seen: '+', want: 'True' },
  'one failure says nothing': { seen: '-', want: 'Unknown' },
  'one failure leaves a healthy pool healthy': { said: { status: 'True' }, seen: '-', want: 'True' },
  'two failures make it unhealthy': { seen: '--', want: 'False' },
  'two failures make a healthy pool unhealthy': { said: { status: 'True' }, seen: '--', want: 'False' },
  'two failures among four are too many': { seen: '-+-+', want: 'False' },
  'RG-17 two failures and a success are too many': { seen: '--+', want: 'False' },
  'RG-17 with two more successes they are not': { seen: '--+++', want: 'True' },
  'one success does not make it healthy again': { said: { status: 'False' }, seen: '+', want: 'False' },
  'three do': { said: { status: 'False' }, seen: '+++', want: 'True' },
  'what an earlier process found stands': { said: { status: 'False' }, seen: '', want: 'False' },
  'that it was healthy stands, too': { said: { status: 'True' }, seen: '', want: 'True' },
  'a changed pool begins anew': { said: { status: 'False', observedGeneration: 0 }, seen: '', want: 'Unknown' },
  'a changed class begins anew': { said: { status: 'True' }, classGeneration: 2, seen: '', want: 'Unknown' },
}

describe('the registration health of a pool', () => {
  for (const [sentence, { said, classGeneration = 1, seen, want }] of Object.entries(CASES)) {
    it(`PN-09 CL-22 ${sentence}`, () => {
      const conditions = said === undefined ? [] : [condition(REGISTRATION_HEALTH, said)]
      const pool = nodePool({ status: { conditions, resources: {}, nodeClassObservedGeneration: 1 } })
      const theClass = nodeClass({ meta: { generation: classGeneration } })
      expect(registrationHealth(pool, theClass, outcomes(seen))?.status).toBe(want)
    })
  }

  it.each<[sentence: string, said: Partial<Condition>]>([
    ['LV-09 that was healthy', { status: 'True' }],
    ['LV-10 of which nothing was known', { status: 'Unknown', reason: 'AwaitingRegistration' }],
  ])('%s is False after two failures, with the reason of the last', (_sentence, said) => {
    const conditions = [condition(REGISTRATION_HEALTH, said)]
    const pool = nodePool({ status: { conditions, resources: {}, nodeClassObservedGeneration: 1 } })
    const [first, last] = outcomes('--')
    if (first === undefined || last?.joined !== false) expect.fail('two failures')
    for (const reason of ['RegistrationFailed', 'LaunchTimeout']) {
      expect(registrationHealth(pool, nodeClass(), [first, { ...last, reason }])).toMatchObject({ status: 'False', reason })
    }
    expect(registrationHealth(pool, nodeClass(), [first])?.status).toBe(said.status)
  })

  it('says how many failed and why the last one did', () => {
    expect(registrationHealth(nodePool(), nodeClass(), outcomes('+--'))).toEqual({
      type: REGISTRATION_HEALTH,
      status: 'False',
      reason: 'RegistrationFailed',
      message: '2 of the last 3 nodeclaims brought no node; lately: claim 2 never joined',
    })
  })

  it('PN-09 is not spoken of without its class', () => {
    expect(registrationHealth(nodePool(), undefined, outcomes('--'))).toBeUndefined()
  })
})

/** `a+` joined, `b-` did not; oldest first. */
function outcomesIn(text: string): readonly RegistrationOutcome[] {
  return text.split(' ').flatMap((each): readonly RegistrationOutcome[] => {
    const whose = { claim: nodeClaimName(`default-${each[0]}`), uid: uid(each[0] ?? ''), createdAt: NOW }
    if (each === '') return []
    return [
      each.endsWith('+') ? { joined: true, ...whose } : { joined: false, ...whose, reason: 'RegistrationFailed', message: 'it never came' },
    ]
  })
}

type Look = {
  readonly seen: string
  readonly conditions?: readonly Condition[]
  readonly at?: EpochMs
  readonly generation?: number
  readonly claims?: readonly NodeClaim[]
  readonly node?: readonly Node[]
  readonly waiting?: number
}

/** The decision about one pod that waits for a pool with these conditions and outcomes. */
function look({
  seen,
  conditions = [],
  at = NOW,
  generation = 1,
  claims = [],
  node = [],
  waiting = 1,
}: Look): Decision & { readonly after: readonly Condition[] } {
  const [ready] = nodePool().status.conditions
  const status = {
    conditions: [...(ready === undefined ? [] : nodePool().status.conditions), ...conditions],
    resources: {},
    nodeClassObservedGeneration: 1,
  }
  const given = snapshot({
    takenAt: at,
    registrationOutcomes: new Map([[nodePoolName('default'), outcomesIn(seen)]]),
    objects: {
      node,
      nodeClaim: claims,
      nodePool: [nodePool({ status, meta: { generation } })],
      pod: pods(waiting, { name: 'web', unschedulableSince: ago(MINUTE), createdAt: ago(MINUTE) }),
    },
  })
  const decision = decide(given)
  const patch = decision.actions.find((action) => action.kind === 'patchNodePoolStatus')
  return { ...decision, after: patch?.kind === 'patchNodePoolStatus' ? patch.conditions : status.conditions }
}

function makes({ actions }: Decision): boolean {
  return actions.some(({ kind }) => kind === 'createClaim')
}

function pauseIn(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find(({ type }) => type === CREATION_PAUSED)
}

const unhealthyFor = (ms: number): Condition => condition(REGISTRATION_HEALTH, { status: 'False', lastTransitionAt: ago(ms) })
const saying = (status: Condition['status'], ms: number): Condition =>
  condition(CREATION_PAUSED, { status, lastTransitionAt: ago(ms), message: 'whatever; lately nodeclaim default-b (b): it never came' })

describe('F41: a pool that Azure makes no machine for, for want of a right', () => {
  const said = condition('Launched', { status: 'Unknown', reason: 'AzureForbidden', message: 'no right to write virtualMachines' })
  const refused = nodeClaim({ name: 'default-x', stage: 'created', status: { conditions: [said] } })

  it('makes no more at once, and says why on the pool and to its pods', () => {
    const decision = look({ seen: 'a+', claims: [refused], waiting: 40 })
    const cause = `lately nodeclaim default-x (${refused.meta.uid}): no right to write virtualMachines`
    const message = `Azure refuses to create nodes, so no nodeclaim is created until it allows them; ${cause}`
    expect(makes(decision)).toBe(false)
    expect(pauseIn(decision.after)).toMatchObject({ status: 'True', reason: 'CreationForbidden', message })
    expect(decision.reasons).toContainEqual(
      expect.objectContaining({ subject: expect.objectContaining({ kind: 'pod' }), code: 'POOL.PAUSED' }),
    )
    expect(decision.actions).toContainEqual({
      kind: 'publish',
      event: expect.objectContaining({ type: 'Warning', reason: 'CreationForbidden', subject: { kind: 'nodePool', name: 'default' } }),
    })
  })

  it.each<[sentence: string, seen: string, claims: readonly NodeClaim[]]>([
    ['is launched', '', [nodeClaim({ name: 'default-x', stage: 'launched' })]],
    ['is being deleted', '', [{ ...refused, meta: { ...refused.meta, deletedAt: NOW } }]],
    ['was given up', 'a- b-', []],
  ])('tries again once the nodeclaim %s', (_sentence, seen, claims) => {
    const before = { ...saying('True', 9 * MINUTE), reason: 'CreationForbidden' }
    const decision = look({ seen, claims, conditions: [before], waiting: 40 })
    expect(makes(decision)).toBe(true)
    expect(pauseIn(decision.after)).toMatchObject({
      status: 'False',
      reason: 'TryingAgain',
      message: expect.stringContaining('nodeclaim default-b'),
    })
  })

  it('has no machine taken away meanwhile', () => {
    const conditions = [{ ...saying('True', MINUTE), reason: 'CreationForbidden' }]
    const idle = { node: [node({ claim: 'default-idle' })], claims: [refused, nodeClaim({ name: 'default-idle' })] }
    expect(look({ seen: '', ...idle }).actions.filter(({ kind }) => kind === 'startCommand')).toEqual([])
    expect(look({ seen: '', ...idle, conditions }).reasons).toContainEqual(
      expect.objectContaining({ code: 'DISRUPTION.FROZEN', subject: { kind: 'nodeClaim', name: 'default-idle' } }),
    )
  })
})

describe('F42: a pool whose machines do not join', () => {
  it('makes no more after two in a row, and says until when and why', () => {
    const decision = look({ seen: 'a- b-' })
    const message = `the last nodes did not join, so no nodeclaim is created until ${formatTimestamp(hence(5 * MINUTE))}; lately nodeclaim default-b (b): it never came`
    expect(makes(decision)).toBe(false)
    expect(pauseIn(decision.after)).toMatchObject({ status: 'True', reason: 'NodesDoNotJoin', message })
    expect(decision.reasons).toMatchObject([{ subject: { kind: 'pod' }, code: 'POOL.PAUSED' }])
    expect(decision.actions).toContainEqual({
      kind: 'publish',
      event: expect.objectContaining({
        type: 'Warning',
        reason: 'NodesDoNotJoin',
        subject: { kind: 'nodePool', name: 'default' },
        message,
      }),
    })
    expect(decision.wakeAt).toBe(hence(5 * MINUTE))
  })

  it.each<[sentence: string, given: Look, isMaking: boolean, status: Condition['status'] | undefined]>([
    ['goes on after one', { seen: 'a-' }, true, undefined],
    ['goes on where one between joined', { seen: 'a- b+ c-' }, true, undefined],
    ['pauses after what an earlier process saw and one more', { seen: 'c-', conditions: [unhealthyFor(MINUTE)] }, false, 'True'],
    ['does not pause for what an earlier process saw alone', { seen: '', conditions: [unhealthyFor(MINUTE)] }, true, undefined],
    [
      'stays paused until the end, in another process, too',
      { seen: '', conditions: [unhealthyFor(4 * MINUTE), saying('True', 4 * MINUTE)] },
      false,
      'True',
    ],
    ['tries again at the end', { seen: 'a- b-', conditions: [unhealthyFor(5 * MINUTE), saying('True', 5 * MINUTE)] }, true, 'False'],
    [
      'goes on trying while nothing new is known',
      { seen: 'a- b-', conditions: [unhealthyFor(6 * MINUTE), saying('False', MINUTE)] },
      true,
      'False',
    ],
    [
      'pauses again when the next does not join either',
      { seen: 'b- c-', conditions: [unhealthyFor(20 * MINUTE), saying('False', 15 * MINUTE)] },
      false,
      'True',
    ],
    [
      'is over it once a machine joins',
      { seen: 'b- c+', conditions: [unhealthyFor(20 * MINUTE), saying('True', MINUTE)] },
      true,
      undefined,
    ],
    [
      'begins anew when it is changed',
      { seen: '', generation: 2, conditions: [unhealthyFor(MINUTE), saying('True', MINUTE)] },
      true,
      undefined,
    ],
  ])('%s', (_sentence, given, isMaking, status) => {
    const decision = look(given)
    expect(pauseIn(decision.after)?.status).toBe(status)
    // A changed pool is ready once its conditions are of its new generation. In this decision they are.
    expect(makes(decision)).toBe(isMaking)
  })

  it('pauses for longer each time, and an hour at most', () => {
    const pauses: number[] = []
    let conditions: readonly Condition[] = []
    let at: EpochMs = NOW
    for (const name of 'bcdef') {
      const paused = look({ seen: `a- ${name}-`, conditions, at })
      const end = paused.wakeAt ?? at
      pauses.push((end - at) / MINUTE)
      const tried = look({ seen: `a- ${name}-`, conditions: keep(paused.after), at: end })
      conditions = keep(tried.after)
      // The next machine has a quarter of an hour to join.
      at = epochMs(end + 15 * MINUTE)
    }
    expect(pauses).toEqual([5, 20, 55, 60, 60])
  })
})

function keep(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.filter(({ type }) => type === CREATION_PAUSED || type === REGISTRATION_HEALTH)
}
