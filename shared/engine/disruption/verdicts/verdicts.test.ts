import { describe, expect, it } from 'vitest'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { nodePool } from '../../../../test/builders/nodePool.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { type SnapshotShape, settings, snapshot } from '../../../../test/builders/snapshot.ts'
import type { Calm } from '../../../model/clusterSnapshot.ts'
import type { Decision } from '../../../model/decision.ts'
import { nodeClaimName, nodePoolName, objectKey, uid } from '../../../model/ids.ts'
import { ANNOTATION } from '../../../model/labels.ts'
import { CREATION_FORBIDDEN, CREATION_PAUSED } from '../../../model/nodePool.ts'
import { durationMs, later, microUsdPerHour } from '../../../model/units.ts'
import { type FleetSnapshot, fleetSnapshotOf } from '../../cluster/fleet.ts'
import { disruptionLines } from '../../scheduling/explain/claimLines.ts'
import type { Expected } from '../candidates/protection.ts'
import { createCandidates } from './keptCandidates.ts'
import { type CandidateVerdict, createRules, verdictOn, verdicts } from './verdicts.ts'

const NAME = 'default-aaaaa'
const CLAIM = nodeClaimName(NAME)

const FROZEN: Calm = {
  leastSavingShare: 0,
  leastSavingPerPod: microUsdPerHour(0),
  leastNodeAge: durationMs(0),
  restAfterMove: durationMs(0),
  mostExtraNodes: 0,
  mostMovesAnHour: 0,
  isFrozen: true,
}

/** A cluster with one machine and one pod. `annotations`: the annotations of the pod. */
function given(annotations: Record<string, string> = {}, more: SnapshotShape = {}): FleetSnapshot {
  const running = pod({
    nodeName: nodeNameOf(NAME),
    phase: 'Running',
    annotations,
    startedAt: ago(MINUTE),
  })
  return fleetSnapshotOf(
    snapshot({ ...more, objects: { nodePool: [nodePool()], node: [node()], nodeClaim: [nodeClaim()], pod: [running], ...more.objects } }),
  )
}

/** Judges a machine as decisions do, one after the other. */
function createJudge(fleet: FleetSnapshot) {
  const rulesOf = createRules()
  const [candidate] = createCandidates()(fleet)
  if (candidate === undefined) throw new Error('no candidate')
  return (now: Partial<FleetSnapshot> = {}, expected: Expected = new Map()): CandidateVerdict => {
    const at = { ...fleet, ...now }
    return verdicts(rulesOf(at), at, () => expected).of(candidate)
  }
}

describe('the rules of verdicts', () => {
  const fleet = given()
  const { objects } = fleet
  const forbidden = nodePool()
  const conditions = [condition(CREATION_PAUSED, { status: 'True', reason: CREATION_FORBIDDEN })]

  it('are the same object while they are equal', () => {
    const rulesOf = createRules()
    const first = rulesOf(fleet)
    expect(rulesOf({ ...fleet, takenAt: hence(SECOND), settings: settings() })).toBe(first)
  })

  it.each<[sentence: string, other: Partial<FleetSnapshot>]>([
    ['the PodDisruptionBudgets', { objects: { ...objects, podDisruptionBudget: [] } }],
    ['the settings of calm', { settings: settings({ calm: FROZEN }) }],
    ['a ban on new nodes', { objects: { ...objects, nodePool: [{ ...forbidden, status: { ...forbidden.status, conditions } }] } }],
  ])('are others with %s', (_, other) => {
    const rulesOf = createRules()
    const first = rulesOf(fleet)
    const second = rulesOf({ ...fleet, ...other })
    expect(second).not.toBe(first)
    expect(rulesOf({ ...fleet, ...other })).toBe(second)
    expect(rulesOf(fleet)).not.toBe(second)
  })
})

describe('a verdict', () => {
  it('is kept while its rules hold', () => {
    const judge = createJudge(given())
    const first = judge()
    expect(first.reason).toBeUndefined()
    expect(judge({ takenAt: hence(MINUTE) })).toBe(first)
  })

  it('is found anew under other rules', () => {
    const judge = createJudge(given())
    const first = judge()
    expect(judge({ settings: settings({ calm: FROZEN }) })).toMatchObject({ isFrozen: true })
    expect(judge()).not.toBe(first)
    expect(judge()).toEqual(first)
  })

  it('that follows from a protection without an end is kept', () => {
    const judge = createJudge(given({ [ANNOTATION.doNotDisrupt]: 'true' }))
    const first = judge()
    expect(first.reason?.code).toBe('DISRUPTION.DO_NOT_DISRUPT')
    expect(judge({ takenAt: hence(MINUTE) })).toBe(first)
  })

  it('that follows from a protection for a time ends with it', () => {
    const judge = createJudge(given({ [ANNOTATION.doNotDisrupt]: '2m' }))
    expect(judge().reason?.code).toBe('DISRUPTION.DO_NOT_DISRUPT')
    expect(judge({ takenAt: later(NOW, durationMs(2 * MINUTE)) }).reason).toBeUndefined()
  })

  it.each<[sentence: string, code: string, message: string, now: Partial<FleetSnapshot>, expected?: Expected]>([
    ['a promise', 'DISRUPTION.NOMINATED', 'a pod is expected on it', { nominations: [{ pod: uid('x'), claim: CLAIM, until: hence(1) }] }],
    ['pods that come', 'DISRUPTION.NOMINATED', 'a pending pod fits on it', {}, new Map([[CLAIM, 'pods']])],
    [
      'a move that waits for it',
      'DISRUPTION.NOMINATED',
      'a move under way waits for it',
      { commands: [disruptionCommand([], { replacements: [CLAIM] })] },
    ],
    [
      'a move that came to nothing',
      'DISRUPTION.RESTING',
      'a move of its node failed a short while ago',
      { backOffs: [{ claims: [CLAIM], pools: [nodePoolName('default')], failures: 1, failedAt: ago(MINUTE), until: hence(1) }] },
    ],
  ])('that follows from %s is not kept beyond that', (_, code, message, now, expected) => {
    const judge = createJudge(given())
    const before = judge()
    expect(judge(now, expected).reason).toMatchObject({ code, message })
    expect(judge()).toBe(before)
  })
})

const COMMAND = disruptionCommand([nodeClaim({ name: 'default-c' })], { saving: microUsdPerHour(12_000) })
const TAKEN = COMMAND.candidates[0]?.claim ?? nodeClaimName('none')
const NOTHING: Decision = { actions: [], reasons: [] }

function said(decided: Partial<Decision>, commands: readonly (typeof COMMAND)[] = []): readonly string[] {
  const verdict = verdictOn(TAKEN, { ...NOTHING, ...decided }, commands)
  return verdict === undefined ? [] : disruptionLines(verdict, NOW)
}

describe('what moves do with a machine', () => {
  it('is the rule that stopped them, with its numbers', () => {
    const reasons = [
      { code: 'DISRUPTION.QUIET', subject: { kind: 'nodeClaim', name: TAKEN }, message: '20 s are left', fields: { seconds: 20 } },
    ] as const
    expect(verdictOn(TAKEN, { ...NOTHING, reasons }, [])).toEqual({
      kind: 'stays',
      code: 'DISRUPTION.QUIET',
      message: '20 s are left',
      fields: { seconds: 20 },
    })
    expect(said({ reasons })).toEqual(['  not disrupted (DISRUPTION.QUIET): 20 s are left'])
  })

  it('is the move that a decision made now begins', () => {
    const action = { kind: 'deleteClaim', claim: TAKEN, uid: uid('u'), because: 'Empty' } as const
    expect(said({ actions: [action] })).toEqual(['  the next decision disrupts it (Empty): 0 pods to move, no replacement, saving unknown'])
    const [first = ''] = said({ actions: [{ kind: 'startCommand', command: COMMAND }] })
    expect(first).toMatch(/^ {2}the next decision disrupts it.*, replaced by .*, saves \$0\.012\/h$/)
  })

  it('counts the nodes and pods of a move of several nodes', () => {
    const ref = (name: string) => ({ key: objectKey('default', name), uid: uid(name) })
    const candidates = COMMAND.candidates.flatMap((each) => [
      { ...each, pods: [ref('p'), ref('q')] },
      { ...each, claim: nodeClaimName('default-d'), pods: [ref('r')] },
    ])
    const verdict = verdictOn(TAKEN, { ...NOTHING, actions: [{ kind: 'startCommand', command: { ...COMMAND, candidates } }] }, [])
    expect(verdict).toMatchObject({ kind: 'next', nodes: 2, pods: 3 })
  })

  it('CA-33 is the move under way, and how far it has come', () => {
    const [line = ''] = said(NOTHING, [{ ...COMMAND, ready: COMMAND.replacements.slice(0, 1) }])
    expect(line).toContain(`move ${COMMAND.id} (${COMMAND.reason}) has been disrupting it`)
    expect(line).toContain(`1 of ${COMMAND.replacements.length} replacements are ready`)
  })

  it('is nothing where no rule spoke of the machine', () => {
    expect(said(NOTHING)).toEqual([])
    const reasons = [
      { code: 'DISRUPTION.QUIET', subject: { kind: 'nodeClaim', name: 'default-other' }, message: 'of another claim' },
      { code: 'POOL.STATIC', subject: { kind: 'nodePool', name: TAKEN }, message: 'of a pool with this name' },
    ] as const
    expect(said({ reasons })).toEqual([])
  })
})
