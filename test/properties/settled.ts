/** Carries out the engine's decisions about a cluster one after another until nothing changes. */
import { decide } from '../../shared/engine/loadedCluster.ts'
import { isReschedulable } from '../../shared/engine/pod/podPredicates.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import { outcomesOf } from '../checker/outcomes.ts'
import { placementOfDecision } from '../checker/placement.ts'
import { later, nodeOfClaim, withBound, withMachine, withoutMachines } from '../oracle/consolidation/standing.ts'

const MOST_DECISIONS = 400

export type SettledByEngine = {
  readonly snapshot: ClusterSnapshot
  /** New claims that belong to no move. */
  readonly bought: readonly CreateClaim[]
  readonly decisions: readonly Decision[]
}

export function settleByEngine(given: ClusterSnapshot): SettledByEngine {
  const decisions: Decision[] = []
  const bought: CreateClaim[] = []
  let snapshot = given
  while (decisions.length < MOST_DECISIONS) {
    const decision = decide(scheduled(snapshot))
    decisions.push(decision)
    const { turn, actions } = decision
    const creates = actions.filter((action): action is CreateClaim => action.kind === 'createClaim')
    bought.push(...creates.filter(({ command }) => command === undefined))
    const after = carriedOut(snapshot, decision)
    if (after === snapshot && turn === undefined) return { snapshot, bought, decisions }
    const { disruptionCursor: _, ...rest } = later(after)
    snapshot = turn === undefined ? rest : { ...rest, disruptionCursor: turn }
  }
  throw new Error(`the engine did not come to an end within ${MOST_DECISIONS} decisions`)
}

/**
 * The snapshot as the engine sees it after kube-scheduler has tried the pods without a place. The scheduler gives up preferences, so the engine never
 * buys for the preferences of these pods.
 */
function scheduled(snapshot: ClusterSnapshot): ClusterSnapshot {
  const isWaiting = snapshot.objects.pod.some(({ nodeName }) => nodeName === undefined)
  return isWaiting ? { ...snapshot, settings: { ...snapshot.settings, preferencePolicy: 'Ignore' } } : snapshot
}

/** The pods that decisions moved, and the pods that would have moved with each node that is gone in the end if none moved twice. */
export function movedPods(
  given: ClusterSnapshot,
  { snapshot, decisions }: SettledByEngine,
): { readonly moved: number; readonly once: number } {
  const moved = decisions
    .flatMap(({ actions }) => actions)
    .flatMap((action) => {
      if (action.kind === 'deleteClaim') return action.pods ?? []
      return action.kind === 'startCommand' ? action.command.candidates.flatMap(({ pods }) => pods) : []
    })
  const left = new Set<string>(snapshot.objects.node.map(({ name }) => name))
  const once = given.objects.pod.filter((pod) => pod.nodeName !== undefined && !left.has(pod.nodeName) && isReschedulable(pod))
  return { moved: moved.length, once: once.length }
}

/** Carries out one decision. Returns the same snapshot if nothing happened. */
function carriedOut(snapshot: ClusterSnapshot, decision: Decision): ClusterSnapshot {
  const { actions } = decision
  const gone = new Set<string>()
  for (const action of actions) {
    if (action.kind === 'deleteClaim') gone.add(action.claim)
    if (action.kind === 'startCommand') for (const { claim } of action.command.candidates) gone.add(claim)
  }
  const { targets, claims } = placementOfDecision(decision)
  if (gone.size + targets.size + claims.length === 0) return snapshot
  const made = claims.reduce(
    (now, claim) => {
      const create = actions.find((action) => action.kind === 'createClaim' && action.draft.name === claim.name)
      const choice = create?.kind === 'createClaim' ? create.choice : undefined
      const outcome = outcomesOf(snapshot, claim.spec, claim.labels).find(
        ({ type, offering }) =>
          type.name === choice?.size && offering.zone === choice.zone && offering.capacityType === choice.capacityType,
      )
      if (outcome === undefined) throw new Error(`claim ${claim.name} cannot become its own choice`)
      return withMachine(now, claim, outcome)
    },
    withoutMachines(snapshot, gone),
  )
  const places = [...targets, ...claims.map(({ name, pods }) => [name, pods] as const)]
  return withBound(made, new Map(places.flatMap(([name, pods]) => pods.map((pod) => [pod, nodeOfClaim(made, name)] as const))))
}
