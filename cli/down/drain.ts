import { settle, settleBounded } from '../../shared/base/concurrency.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { findCondition } from '../../shared/model/condition.ts'
import type { NodeClaimName } from '../../shared/model/ids.ts'
import { FINALIZER } from '../../shared/model/labels.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import { Fault } from '../../shared/model/problem.ts'
import { type DurationMs, later } from '../../shared/model/units.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Arm } from '../armCall.ts'
import type { DownCluster } from './downCluster.ts'
import { claimsOf, countOf, deleteDisk, type Inventory, takeInventory } from './inventory.ts'
import { stepOrphan } from './stepOrphan.ts'

export type DrainDeps = {
  readonly arm: Arm
  readonly clock: Clock
  readonly print: (line: string) => void
  readonly limit: DurationMs
  /** What terminates claims: the app, or this process with `step`. */
  readonly by: 'app' | 'self'
  /** Does the steps that are possible now for a claim that is being deleted, or for the node of a claim that is gone. */
  readonly step: (cluster: DownCluster, claim: NodeClaimName, signal: AbortSignal) => Promise<void>
}

const PAUSE_MS = 5_000
/** Number of consecutive failed rounds after which the drain gives up. */
const MOST_FAILED = 6
/** Time after which the app should have begun to end a claim. The app looks at each claim twice a minute. */
const BEGIN_MS = 180_000
const AT_ONCE = 8

/**
 * Deletes all NodeClaims of a cluster, and watches until they and all their Azure resources are gone. Changes nothing else, so it can be interrupted
 * and run again at any point. The error has a line for each obstacle.
 */
export async function drain(cluster: DownCluster, deps: DrainDeps, signal: AbortSignal): Promise<Result<void, readonly string[]>> {
  const { clock } = deps
  const until = later(clock.now(), deps.limit)
  const begun = new Map<string, number>()
  const tell = printChanges(deps.print)
  let failed = 0
  for (;;) {
    const round = await settle(() => drainOnce(cluster, deps, signal))
    if (round.ok) {
      failed = 0
      const progress = progressOf(cluster, deps, round.value, begun)
      if (progress.isOver) return progress.result
      tell(progress.lines)
      if (clock.now() >= until) return err(progress.lines)
    } else {
      const { message, isFinal } = faultIn(round.error)
      failed++
      if (isFinal || failed >= MOST_FAILED) return err([`${cluster.id}: ${message}`])
      tell([`${cluster.id}: ${message}; trying again`])
    }
    await clock.sleep(PAUSE_MS, signal)
  }
}

/** Returns a function that prints lines unless the same lines were printed just before. */
function printChanges(print: (line: string) => void): (lines: readonly string[]) => void {
  let told = ''
  return (lines) => {
    if (lines.join('\n') === told) return
    told = lines.join('\n')
    for (const line of lines) print(line)
  }
}

type Progress =
  | { readonly isOver: true; readonly result: Result<void, readonly string[]> }
  | { readonly isOver: false; readonly lines: readonly string[] }

function progressOf({ id }: DownCluster, { by, clock }: DrainDeps, { left, troubles }: Round, begun: Map<string, number>): Progress {
  if (countOf(left) === '') return { isOver: true, result: ok(undefined) }
  if (troubles.final !== undefined) return { isOver: true, result: err([`${id}: ${troubles.final}`]) }
  const unbegun = left.claims.filter((claim) => isUnbegun(claim, begun, clock.now()))
  if (by === 'app' && unbegun.length > 0) return { isOver: true, result: err(unbegun.map((claim) => `${id}: ${nobodyEnds(claim)}`)) }
  return { isOver: false, lines: [`${id}: ${countOf(left)} left`, ...left.claims.map((claim) => `  ${holdOf(claim)}`), ...troubles.others] }
}

type Round = { readonly left: Inventory; readonly troubles: { readonly final: string | undefined; readonly others: readonly string[] } }

/** Resources without a claim are deleted only when no claim is left. Before that, a launch that belongs to a claim may be under way. */
async function drainOnce(cluster: DownCluster, deps: DrainDeps, signal: AbortSignal): Promise<Round> {
  const claims = await claimsOf(cluster, signal)
  for (const { name, meta } of claims) if (meta.deletedAt === undefined) await cluster.api.deleteClaim(name, meta.uid, signal)
  const own = deps.by === 'self' ? claims : []
  const stepped = await settleBounded(own, AT_ONCE, ({ name }) => deps.step(cluster, name, signal))
  const left = await takeInventory(cluster, deps.arm, signal)
  const ended = left.claims.length > 0 ? [] : await endOrphans(cluster, deps, left, signal)
  const faults = [...stepped, ...ended].flatMap((each) => (each.ok ? [] : [faultIn(each.error)]))
  const others = new Set(faults.map(({ message }) => `  ${message}`))
  return { left, troubles: { final: faults.find(({ isFinal }) => isFinal)?.message, others: [...others] } }
}

function endOrphans(cluster: DownCluster, { arm, clock, step }: DrainDeps, left: Inventory, signal: AbortSignal) {
  const { cloud } = cluster
  const ends: readonly (() => Promise<unknown>)[] = [
    ...left.instances
      .filter(({ state }) => state.kind !== 'deleting')
      .map((instance) => () => stepOrphan(cluster, instance, clock.now(), signal)),
    ...left.interfaces.map(
      ({ name }) =>
        () =>
          cloud.deleteInterface(name, signal),
    ),
    ...left.disks.map((name) => () => deleteDisk(cluster, arm, name, signal)),
    ...left.lostNodes.map((claim) => () => step(cluster, claim, signal)),
  ]
  return settleBounded(ends, AT_ONCE, (end) => end())
}

/**
 * Returns message and kind of a failure. A final failure persists until a person acts. An error that is not a Fault is a bug or the end of this
 * process.
 */
function faultIn(cause: unknown): { readonly message: string; readonly isFinal: boolean } {
  if (!(cause instanceof Fault)) throw cause
  const { code, fields } = cause.problem
  return {
    message: `${cause.message} (${code})`,
    isFinal: code === 'AZURE.FORBIDDEN' || fields?.['status'] === 401 || fields?.['status'] === 403,
  }
}

/** Returns what a claim waits for, from its conditions. They name a budget that blocks an eviction. */
function holdOf({ name, meta, status }: NodeClaim): string {
  const drained = findCondition(status.conditions, 'Drained')
  if (drained !== undefined && drained.status !== 'True') return `nodeclaim ${name}: ${drained.message}`
  const others = meta.finalizers.filter((finalizer) => finalizer !== FINALIZER)
  if (!meta.finalizers.includes(FINALIZER) && others.length > 0) return `nodeclaim ${name}: held by finalizer ${others.join(', ')}`
  const isEnding = findCondition(status.conditions, 'InstanceTerminating')?.status === 'True'
  return `nodeclaim ${name}: ${isEnding ? 'its machine is being deleted' : 'waits for its end'}`
}

/** `begun` holds when each claim was first seen as being deleted. */
function isUnbegun({ meta, status }: NodeClaim, begun: Map<string, number>, now: number): boolean {
  const since = begun.get(meta.uid) ?? now
  begun.set(meta.uid, since)
  const isTouched = ['Drained', 'InstanceTerminating'].some((type) => findCondition(status.conditions, type) !== undefined)
  return !isTouched && meta.finalizers.includes(FINALIZER) && now - since >= BEGIN_MS
}

function nobodyEnds({ name }: NodeClaim): string {
  return `nodeclaim ${name} was deleted ${BEGIN_MS / 60_000} minutes ago and the app has not begun to end it; where the app is dead run npx joiner cleanup`
}
