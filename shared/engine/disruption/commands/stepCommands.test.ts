import { describe, expect, it } from 'vitest'
import { ago, HOUR, hence, MINUTE, NOW, SECOND } from '../../../../test/builders/clock.ts'
import { condition } from '../../../../test/builders/condition.ts'
import { disruptionCommand } from '../../../../test/builders/disruptionCommand.ts'
import { node } from '../../../../test/builders/node.ts'
import { nodeClaim, nodeNameOf } from '../../../../test/builders/nodeClaim.ts'
import { pod } from '../../../../test/builders/pod.ts'
import { snapshot } from '../../../../test/builders/snapshot.ts'
import type { DisruptionCommand } from '../../../model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName, uid } from '../../../model/ids.ts'
import { ANNOTATION, TAINT_KEY } from '../../../model/labels.ts'
import type { NodeClaim } from '../../../model/nodeClaim.ts'
import type { Pod } from '../../../model/pod.ts'
import { later } from '../../../model/units.ts'
import { fleetSnapshotOf } from '../../cluster/fleet.ts'
import { commandDeadline, FIRST_REST } from './moveRests.ts'
import { stepCommands } from './stepCommands.ts'
import { createSweep } from './sweep.ts'

const OLD = nodeClaim({ name: 'default-old' })
const PEER = nodeClaim({ name: 'default-peer' })
const COMING = nodeClaim({ name: 'default-new', stage: 'registered' })
const READY = nodeClaim({ name: 'default-new' })
const ENDING = { deletedAt: NOW }
const CLOSED = [{ key: TAINT_KEY.disrupted, effect: 'NoSchedule' }] as const

type Shape = Parameters<typeof snapshot>[0] & {
  readonly claims: readonly NodeClaim[]
  readonly open?: boolean
  readonly pods?: readonly Pod[]
}

/** Steps one move while the cluster has these claims, each with its node. The nodes of candidates are tainted unless `open`. */
function step(command: DisruptionCommand | undefined, { claims, open = false, pods = [], ...over }: Shape) {
  const deleting = new Set(command?.candidates.map(({ claim }) => claim))
  const nodes = claims.map(({ name, meta }) =>
    node({ claim: name, taints: deleting.has(name) && !open ? CLOSED : [], meta: { ...meta, labels: {} } }),
  )
  const objects = { nodeClaim: claims, node: nodes, pod: pods }
  const commands = command === undefined ? [] : [command]
  return stepCommands(fleetSnapshotOf(snapshot({ commands, ...over, objects })), createSweep())
}

/** Each action in a few words, events left out. */
function words({ decision }: ReturnType<typeof stepCommands>): readonly string[] {
  return decision.actions.flatMap((action) => {
    if (action.kind === 'deleteClaim' || action.kind === 'openNode' || action.kind === 'removeReplacement')
      return [`${action.kind} ${action.claim}`]
    if (action.kind === 'endCommand') return [`${action.backOff === undefined ? 'done' : 'failed'}: ${action.message}`]
    if (action.kind !== 'keepCommand') return []
    return [`ready ${action.command.ready?.join() ?? ''}${action.command.markedAt === undefined ? ', unmarked' : ''}`]
  })
}

describe('a move whose replacements are on their way', () => {
  it('QU-01 QU-02 waits, says so on them under Karpenter’s names, and wakes at its deadline', () => {
    const command = disruptionCommand([OLD])
    const stepped = step(command, { claims: [OLD, COMING] })
    expect(stepped.commands).toEqual([command])
    expect(
      stepped.decision.actions.map((action) => (action.kind === 'publish' ? [action.event.reason, action.event.message] : [])),
    ).toEqual([
      ['DisruptionLaunching', 'Launching NodeClaim: Drifted'],
      ['DisruptionWaitingReadiness', 'Waiting on readiness to continue disruption'],
    ])
    expect(stepped.decision.wakeAt).toBe(command.deadline)
  })

  it('QU-03 waits for one that the watch has not shown', () => {
    const draft = { name: READY.name, nodePool: nodePoolName('default'), labels: {}, annotations: {}, spec: OLD.spec }
    const stepped = step(disruptionCommand([OLD]), { claims: [OLD], drafts: [draft] })
    expect(words(stepped)).toEqual([])
    expect(stepped.commands).toHaveLength(1)
  })

  it('QU-06 waits for all of them, and remembers the one that was initialized once', () => {
    const replacements = [nodeClaimName('default-new'), nodeClaimName('default-two')]
    const two = nodeClaim({ name: 'default-two', stage: 'launched' })
    const first = step(disruptionCommand([OLD], { replacements }), { claims: [OLD, READY, two] })
    expect(words(first)).toEqual(['ready default-new'])
    const degraded = { ...READY, status: { ...READY.status, conditions: [condition('Initialized', { status: 'False' })] } }
    const [remembered] = first.commands
    const second = step(remembered, { claims: [OLD, degraded, nodeClaim({ name: 'default-two' })] })
    expect(words(second)).toEqual(['ready default-new,default-two', 'deleteClaim default-old'])
  })

  it('SV-07 ends its nodes when all are initialized, with the pods of the plan, also after the deadline', () => {
    const command = disruptionCommand([OLD, PEER])
    expect(words(step(command, { claims: [OLD, PEER, READY] }))).toEqual([
      'ready default-new',
      'deleteClaim default-old',
      'deleteClaim default-peer',
    ])
    const { actions } = step(command, { claims: [OLD, READY], takenAt: command.deadline }).decision
    expect(actions).toContainEqual({
      kind: 'deleteClaim',
      claim: 'default-old',
      uid: OLD.meta.uid,
      because: 'Drifted',
      pods: [],
      command: '7-0',
    })
  })

  it('SV-06 is not stopped by a node that vanished, and is over when none stands', () => {
    const command = disruptionCommand([OLD, PEER])
    expect(words(step(command, { claims: [PEER, READY] }))).toEqual(['ready default-new', 'deleteClaim default-peer'])
    const another = { ...OLD, meta: { ...OLD.meta, uid: uid('another') } }
    const over = step(command, { claims: [another, { ...PEER, meta: { ...PEER.meta, ...ENDING } }, READY] })
    // The mark is not for the claim that has the name now.
    expect(words(over)).toEqual(['done: its nodes are gone or being deleted', 'openNode default-old'])
    expect(over.commands).toEqual([])
  })

  it('has its nodes marked again when somebody took the taint, once the watch had time to show it', () => {
    expect(words(step(disruptionCommand([OLD]), { claims: [OLD, COMING], open: true }))).toEqual(['ready , unmarked'])
    expect(words(step(disruptionCommand([OLD], { markedAt: ago(2 * SECOND) }), { claims: [OLD, COMING], open: true }))).toEqual([])
  })

  it('ends nothing before its nodes are marked', () => {
    const { markedAt: _, ...unmarked } = disruptionCommand([OLD])
    const stepped = step(unmarked, { claims: [OLD, READY] })
    expect(words(stepped)).toEqual(['ready default-new, unmarked'])
    expect(stepped.decision.wakeAt).toBe(hence(15 * SECOND))
  })
})

describe('two moves at once', () => {
  const other = nodeClaim({ name: 'default-other', stage: 'registered' })
  const moves = [disruptionCommand([OLD], { id: '7-0' }), disruptionCommand([PEER], { id: '7-1', replacements: [other.name] })]
  const both = (claims: readonly NodeClaim[]) => words(step(undefined, { claims, commands: moves }))
  const ends = (all: readonly string[]): readonly string[] => all.filter((each) => each.startsWith('deleteClaim'))

  it('QU-08 end each when its own replacement is ready, whichever that is first', () => {
    expect(ends(both([OLD, PEER, READY, other]))).toEqual(['deleteClaim default-old'])
    expect(ends(both([OLD, PEER, COMING, nodeClaim({ name: other.name })]))).toEqual(['deleteClaim default-peer'])
    expect(ends(both([OLD, PEER, COMING, other]))).toEqual([])
  })

  it('come to nothing each by itself', () => {
    const said = both([OLD, PEER, READY])
    expect(ends(said)).toEqual(['deleteClaim default-old'])
    expect(said).toContain('openNode default-peer')
  })
})

describe('a move that comes to nothing', () => {
  it.each([
    ['a replacement is gone', [OLD], 'replacement default-new is gone'],
    ['a replacement is ending', [OLD, { ...COMING, meta: { ...COMING.meta, ...ENDING } }], 'replacement default-new is gone'],
    // The candidate must not go without its replacement.
    ['an initialized replacement is ending', [OLD, { ...READY, meta: { ...READY.meta, ...ENDING } }], 'replacement default-new is gone'],
  ])('DS-06 DD-21 opens its nodes: %s', (_sentence, claims, message) => {
    const stepped = step(disruptionCommand([OLD]), { claims })
    expect(words(stepped)).toEqual([`failed: ${message}`, 'openNode default-old'])
    expect(stepped.commands).toEqual([])
  })

  it('QU-04 has taken too long: what is coming and nobody waits for is removed', () => {
    const command = disruptionCommand([OLD])
    const late = { takenAt: command.deadline }
    expect(words(step(command, { claims: [OLD, COMING], ...late }))).toEqual([
      'failed: its replacements were not ready in time',
      'openNode default-old',
      'removeReplacement default-new',
    ])
    expect(step(command, { claims: [OLD, COMING], ...late }).commands).toEqual([])
    const used = pod({ name: 'used', nodeName: nodeNameOf('default-new') })
    expect(words(step(command, { claims: [OLD, COMING], pods: [used], ...late }))).not.toContain('removeReplacement default-new')
    const nominations = [{ pod: uid('waiting'), claim: nodeClaimName('default-new'), until: hence(HOUR) }]
    expect(words(step(command, { claims: [OLD, COMING], nominations, ...late }))).not.toContain('removeReplacement default-new')
  })

  it('removes a replacement that its own pods alone were promised', () => {
    const moved = pod({ name: 'moved' })
    const [candidate] = disruptionCommand([OLD]).candidates
    if (candidate === undefined) throw new Error('it has one')
    const command = disruptionCommand([OLD], { candidates: [{ ...candidate, pods: [{ key: moved.key, uid: moved.uid }] }] })
    const nominations = [{ pod: moved.uid, claim: nodeClaimName('default-new'), until: hence(HOUR) }]
    expect(words(step(command, { claims: [OLD, COMING], nominations, takenAt: command.deadline }))).toContain(
      'removeReplacement default-new',
    )
  })

  it('SV-08 lost one of three replacements: the others are removed, and its nodes are open', () => {
    const [second, third] = ['default-new2', 'default-new3'].map((name) => nodeClaim({ name, stage: 'launched' }))
    if (second === undefined || third === undefined) throw new Error('there are two')
    const command = disruptionCommand([OLD], { replacements: [COMING.name, second.name, third.name] })
    // The API server refused the third: it has neither a claim nor a draft.
    expect(words(step(command, { claims: [OLD, COMING, second] }))).toEqual([
      'failed: replacement default-new3 is gone',
      'openNode default-old',
      'removeReplacement default-new',
      'removeReplacement default-new2',
    ])
  })

  it('keeps what is initialized as capacity', () => {
    const replacements = [nodeClaimName('default-new'), nodeClaimName('default-two')]
    const command = disruptionCommand([OLD], { replacements })
    const claims = [OLD, READY, nodeClaim({ name: 'default-two', stage: 'launched' })]
    expect(words(step(command, { claims, takenAt: command.deadline }))).toEqual([
      'failed: its replacements were not ready in time',
      'openNode default-old',
      'removeReplacement default-two',
    ])
    const { actions } = step(command, { claims, takenAt: command.deadline }).decision
    expect(actions.map(({ kind }) => kind)).toEqual(['endCommand', 'openNode', 'removeReplacement'])
  })

  it('was held at its last step for too long', () => {
    const command = disruptionCommand([OLD])
    const late = later(command.deadline, FIRST_REST.failed)
    expect(words(step(command, { claims: [OLD, READY], takenAt: late }))).toEqual([
      'failed: its nodes stayed blocked for too long',
      'openNode default-old',
    ])
  })

  it('has its nodes rest, longer each time in their pool, and wakes when the rest is over', () => {
    const command = disruptionCommand([OLD])
    const first = step(command, { claims: [OLD] })
    expect(first.backOffs).toEqual([
      { claims: ['default-old'], pools: ['default'], failures: 1, failedAt: NOW, until: later(NOW, FIRST_REST.failed) },
    ])
    expect(first.decision.wakeAt).toBe(later(NOW, FIRST_REST.failed))
    const second = step(disruptionCommand([PEER]), { claims: [PEER], backOffs: first.backOffs, takenAt: hence(15 * MINUTE) })
    expect(second.backOffs.at(-1)).toMatchObject({ failures: 2, until: hence(35 * MINUTE) })
    const later2 = step(disruptionCommand([PEER]), { claims: [PEER], backOffs: first.backOffs, takenAt: hence(21 * MINUTE) })
    expect(later2.backOffs.at(-1)).toMatchObject({ failures: 1 })
  })
})

describe('a move without replacements', () => {
  const command = disruptionCommand([OLD], { method: 'delete', replacements: [] })

  it('is made again when the process that began it died, once the watch had time to show what it did', () => {
    expect(words(step(command, { claims: [OLD] }))).toEqual(['deleteClaim default-old'])
    const { decision } = step({ ...command, startedAt: ago(SECOND) }, { claims: [OLD] })
    expect(decision).toEqual({ actions: [], reasons: [], wakeAt: hence(9 * SECOND) })
    expect(words(step({ ...command, startedAt: ago(10 * SECOND) }, { claims: [OLD] }))).toEqual(['deleteClaim default-old'])
  })
  it('is over when the claim is being deleted', () => {
    expect(words(step(command, { claims: [{ ...OLD, meta: { ...OLD.meta, ...ENDING } }] }))).toEqual([
      'done: its nodes are gone or being deleted',
    ])
  })
  it('comes to nothing at its deadline', () => {
    expect(words(step(command, { claims: [OLD], takenAt: command.deadline }))).toEqual([
      'failed: its nodes could not be taken away in time',
      'openNode default-old',
    ])
  })
})

describe('marks that nobody stands for', () => {
  const marked = { ...OLD, status: { ...OLD.status, conditions: [...OLD.status.conditions, condition('DisruptionReason')] } }

  it.each([
    ['a taint', [OLD], CLOSED],
    ['a condition', [marked], []],
  ])('DS-05 are swept: %s', (_sentence, claims, taints) => {
    const nodes = claims.map(({ name }) => node({ claim: name, taints }))
    expect(words(stepCommands(fleetSnapshotOf(snapshot({ objects: { nodeClaim: claims, node: nodes } })), createSweep()))).toEqual([
      'openNode default-old',
    ])
  })

  it('SV-05 stay while their move is under way, and on what is ending', () => {
    expect(words(step(disruptionCommand([OLD]), { claims: [marked, COMING] }))).toEqual([])
    const ending = { ...marked, meta: { ...marked.meta, ...ENDING } }
    expect(words(step(undefined, { claims: [ending] }))).toEqual([])
    const interrupted = { ...marked, meta: { ...marked.meta, annotations: { [ANNOTATION.terminationTimestamp]: '2026-01-01T00:00:00Z' } } }
    expect(words(step(undefined, { claims: [interrupted] }))).toEqual([])
    const nodes = [node({ claim: 'default-old', taints: CLOSED, meta: ENDING })]
    expect(words(stepCommands(fleetSnapshotOf(snapshot({ objects: { nodeClaim: [OLD], node: nodes } })), createSweep()))).toEqual([])
  })
})

it.each([
  [100, 10 * MINUTE],
  [4_000, 10 * MINUTE],
  [10_000, 13 * MINUTE + 20 * SECOND],
  [40_000, 53 * MINUTE + 20 * SECOND],
  [80_000, HOUR],
  [100_000, HOUR],
])('QU-09 a move among %i queued nodes has %i ms', (queued, expected) => {
  expect(commandDeadline(NOW, queued)).toBe(hence(expected))
})
