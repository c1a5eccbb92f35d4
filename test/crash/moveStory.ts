import { expect } from 'vitest'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { emptyLedger } from '../../shared/flows/ledger/nextLedger.ts'
import type { CreateClaim } from '../../shared/model/decision.ts'
import type { CommandCandidate, DisruptionCommand } from '../../shared/model/disruptionCommand.ts'
import { nodeClaimName, nodePoolName, vmSizeName, zoneName } from '../../shared/model/ids.ts'
import { TAINT_KEY } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { refOf } from '../../shared/model/pod.ts'
import { durationMs, type EpochMs, later } from '../../shared/model/units.ts'
import { instanceType } from '../builders/instanceType.ts'
import { nodeNameOf } from '../builders/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { pod, REPLICA_SET } from '../builders/pod.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'

const NEVER = new AbortController().signal
const LIMIT_MS = 300_000
/** A disruption taint may stay on a node no longer than this without a move. */
const SWEPT_WITHIN_MS = 60_000
/** The deadline of the move. It is shorter than a real one, so that a story reaches it. */
const DEADLINE_MS = 90_000

/** Two nodes with a pod each, and a decision to move both pods to two new nodes. */
export type MoveStory = {
  readonly simulation: Simulation
  readonly old: readonly NodeClaim[]
  readonly names: readonly CreateClaim['draft']['name'][]
  /** The violations of the pool's budget. */
  readonly overdrawn: () => readonly string[]
  /** All violations, each with its time. */
  readonly wrong: readonly string[]
  /** Lets time pass until the move is complete and nothing is in progress. Undefined if that takes too long. */
  finish(holds?: () => boolean): Promise<number | undefined>
}

export type MoveOptions = Omit<SimulationOptions, 'instanceTypes' | 'workload' | 'caller'> & {
  readonly prepare?: (simulation: Simulation) => void
  /** Called in each tick after the move has begun. */
  readonly meanwhile?: (simulation: Simulation) => void
}

export const PODS = 2
/** Boot, drain and deletion take some 25 s without faults. A killed process restarts after 1 s, and its lease expires after 15 s. */
export const WITHIN_MS = 110_000

/** Plays until the pods run. The move begins with the first tick of `finish`. */
export async function createMoveStory({ prepare, meanwhile, ...options }: MoveOptions = {}): Promise<MoveStory> {
  const wrong: string[] = []
  let begin: ((deps: ClusterDeps) => Promise<boolean>) | undefined
  let hasBegun = false
  const judge = createJudge(wrong, PODS)
  const simulation = createSimulation({
    ...options,
    instanceTypes: [instanceType()],
    workload: () => {
      keepPods(simulation)
      if (hasBegun) meanwhile?.(simulation)
    },
    caller: async () => {
      if (begin !== undefined && (await simulation.perform(begin))) {
        begin = undefined
        hasBegun = true
      }
      await judge(simulation)
    },
  })
  simulation.world.objects.put('nodePool', nodePool({ disruption: { budgets: [{ nodes: String(PODS) }] } }))
  if ((await simulation.runUntil(() => isQuiet(simulation, PODS), LIMIT_MS)) === undefined) throw new Error('the pods do not run')
  const old = simulation.world.objects.all('nodeClaim')
  prepare?.(simulation)
  begin = (deps) => beginMove(deps, simulation, old)
  const names = old.map(replacementOf)
  return {
    simulation,
    old,
    names,
    overdrawn: () => wrong.filter((each) => each.includes('budget')),
    wrong,
    finish: (holds = () => hasMoved(simulation, names)) => simulation.runUntil(() => hasBegun && holds(), LIMIT_MS),
  }
}

/** Writes the ledger record of a planner's decision. A second call changes nothing. */
async function beginMove(deps: ClusterDeps, { world, clock }: Simulation, old: readonly NodeClaim[]): Promise<boolean> {
  const loaded = await deps.ledger.load(NEVER)
  if (!loaded.ok) return false
  const ledger = loaded.value?.value ?? emptyLedger(deps.cluster)
  const now = clock.now()
  const decision = ledger.decisions + 1
  const pods = world.objects.all('pod')
  const candidates = old.map(
    (claim): CommandCandidate => ({
      claim: claim.name,
      uid: claim.meta.uid,
      node: nodeNameOf(claim.name),
      pool: nodePoolName('default'),
      pods: pods.filter(({ nodeName }) => nodeName === nodeNameOf(claim.name)).map(refOf),
    }),
  )
  const command: DisruptionCommand = {
    id: `${decision}-0`,
    reason: 'Drifted',
    method: 'replace',
    candidates,
    replacements: old.map(replacementOf),
    startedAt: now,
    deadline: later(now, durationMs(DEADLINE_MS)),
  }
  if (ledger.commands.length > 0 || ledger.intents.length > 0 || world.objects.get('nodeClaim', replacementOf(old[0])) !== undefined)
    return true
  const intents = old.map((claim, index) => ({ action: createFor(claim, command.id, candidates[index]), decision, decidedAt: now }))
  const { rest: _, ...lasting } = ledger
  const next = { ...lasting, epoch: ledger.epoch + 1, decisions: decision, intents, commands: [command] }
  return (await deps.ledger.save(next, loaded.value?.etag, NEVER)).ok
}

function createFor({ spec, meta, name }: NodeClaim, command: string, candidate: CommandCandidate | undefined): CreateClaim {
  const { 'karpenter.sh/nodepool': pool = '', 'karpenter.azure.com/aksnodeclass': nodeClass = '' } = meta.labels
  const labels = { 'karpenter.sh/nodepool': pool, 'karpenter.azure.com/aksnodeclass': nodeClass }
  return {
    kind: 'createClaim',
    draft: { name: replacementOf({ name }), nodePool: nodePoolName(pool), labels, annotations: { 'joiner.dev/decision': '0' }, spec },
    pods: candidate?.pods ?? [],
    choice: { size: vmSizeName('Standard_D4as_v6'), zone: zoneName('eastus-1'), capacityType: 'on-demand' },
    alternatives: 1,
    command,
  }
}

function replacementOf(claim: Pick<NodeClaim, 'name'> | undefined): NodeClaim['name'] {
  return nodeClaimName(`${claim?.name ?? ''}-new`)
}

/** Replaces missing pods, as a ReplicaSet does. Each pod needs a machine of its own. */
function keepPods({ world }: Simulation): void {
  const { objects } = world
  const present = objects.all('pod').filter(({ deletedAt, key }) => deletedAt === undefined && key.startsWith('default/web-'))
  for (let missing = PODS - present.length; missing > 0; missing--) {
    const uid = objects.newUid()
    objects.put('pod', pod({ name: `web-${uid}`, uid, cpus: 3, owner: REPLICA_SET, labels: { app: 'web' }, createdAt: world.clock.now() }))
  }
}

function isQuiet({ world: { objects } }: Simulation, machines: number): boolean {
  const claims = objects.all('nodeClaim')
  const isReady = ({ meta, status }: NodeClaim): boolean =>
    meta.deletedAt === undefined && status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  return claims.length === machines && claims.every(isReady) && objects.all('pod').every(({ nodeName }) => nodeName !== undefined)
}

/** Reports whether the pods run on the new machines and no other machine is left. */
function hasMoved(simulation: Simulation, names: readonly string[]): boolean {
  const { objects, machines } = simulation.world
  const isThere = names.every((name) => objects.get('nodeClaim', name) !== undefined)
  return (
    isThere && isQuiet(simulation, names.length) && machines.all().length === names.length && objects.all('node').length === names.length
  )
}

/** Returns a check for each tick. It adds a line to `wrong` for each rule that is broken at that time. */
export function createJudge(wrong: string[], budget: number): (simulation: Simulation) => Promise<void> {
  const markedSince = new Map<string, EpochMs>()
  return async ({ world }) => {
    const { objects, clock, ports } = world
    const loaded = await ports.ledger.load(NEVER)
    const commands = loaded.ok ? (loaded.value?.value.commands ?? []) : []
    const live = new Set(commands.flatMap(({ candidates }) => candidates.map(({ claim }) => claim)))
    const now = clock.now()
    for (const claim of objects.all('nodeClaim')) {
      const node = objects.get('node', nodeNameOf(claim.name))
      const isMarked =
        node?.taints.some(({ key }) => key === TAINT_KEY.disrupted) === true ||
        claim.status.conditions.some(({ type }) => type === 'DisruptionReason')
      if (!isMarked || live.has(claim.name) || claim.meta.deletedAt !== undefined) markedSince.delete(claim.name)
      else if (!markedSince.has(claim.name)) markedSince.set(claim.name, now)
      else if (now - (markedSince.get(claim.name) ?? now) > SWEPT_WITHIN_MS) wrong.push(`${now}: ${claim.name} is marked for nobody`)
    }
    for (const { replacements, candidates } of commands) {
      const isGone = candidates.some(({ claim }) => objects.get('nodeClaim', claim)?.meta.deletedAt !== undefined)
      const isMissing = replacements.some((name) => !isInitialized(objects.get('nodeClaim', name)))
      if (isGone && replacements.length > 0 && isMissing) wrong.push(`${now}: a node goes, and its replacement is not there`)
    }
    // A machine counts until Azure was asked to delete it.
    const deleting = objects
      .all('nodeClaim')
      .filter(({ meta, status }) => meta.deletedAt !== undefined && !status.conditions.some(({ type }) => type === 'InstanceTerminating'))
    if (deleting.length > budget) wrong.push(`${now}: the budget of ${budget} is overdrawn by ${deleting.map(({ name }) => name).join()}`)
  }
}

function isInitialized(claim: NodeClaim | undefined): boolean {
  return claim?.status.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True') === true
}

/** Names of the nodes with the disruption taint. */
export function closedNodes({ world }: Simulation): readonly string[] {
  return world.objects.all('node').flatMap(({ name, taints }) => (taints.some(({ key }) => key === TAINT_KEY.disrupted) ? [name] : []))
}

export function expectNothingWrong({ wrong }: MoveStory): void {
  expect(wrong).toEqual([])
}

/** Plays the whole move. Returns the numbers of writes that were tried before it and until its end. */
export async function playMove(options: MoveOptions = {}) {
  const story = await createMoveStory(options)
  const before = story.simulation.world.journal.tried()
  const took = await story.finish()
  return { ...story, before, took, writes: story.simulation.world.journal.tried() }
}
