/** The candidates of a cluster, kept between decisions. Only machines that have changed are weighed again. */
import { placeIn } from '../../../base/lists.ts'
import { isSame } from '../../../base/values.ts'
import { findCondition } from '../../../model/condition.ts'
import { CREATION_PAUSED, type NodePool } from '../../../model/nodePool.ts'
import type { Fleet, FleetSnapshot } from '../../cluster/fleet.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { candidateFinder, quietAt, withCosts } from '../candidates/candidate.ts'
import { trialOf } from '../candidates/trial.ts'
import { byTurn, turnOf } from './moveTurns.ts'
import type { KeptCandidate } from './verdicts.ts'

/** Up to this number of changes, each change is put in its place. With more, the list is sorted. */
const FEW_CHANGES = 32

/** Returns a function that lists the candidates in the order of their turns. */
export function createCandidates(): (snapshot: FleetSnapshot) => readonly KeptCandidate[] {
  const known = new Map<string, KeptCandidate>()
  let followed: Followed | undefined
  let weigher: Weigher | undefined
  let list: readonly KeptCandidate[] = []

  /** The ids of machines to weigh, or `all` if none of what is kept holds. */
  function changed({ fleet, ...snapshot }: FleetSnapshot): { readonly ids: readonly string[]; readonly isAll: boolean } {
    const isFollowed = fleet === followed?.fleet
    if (followed === undefined || !isFollowed) followed = { fleet, takeChanged: fleet.follow() }
    const ids = [...followed.takeChanged()]
    if (isFollowed && weigher?.isFor(snapshot) === true) return { ids, isAll: false }
    return { ids: [...fleet.ids()], isAll: true }
  }

  return (snapshot) => {
    const { ids, isAll } = changed(snapshot)
    if (weigher === undefined || isAll) {
      weigher = createWeigher(snapshot)
      known.clear()
    }
    const isMany = isAll || ids.length > FEW_CHANGES
    const exchanged = isMany ? [] : ids.length > 0 ? [...list] : undefined
    for (const id of ids) {
      const before = known.get(id)
      const after = weigher.weigh(snapshot.fleet.get(id), before)
      if (after === undefined) known.delete(id)
      else known.set(id, after)
      if (!isMany && exchanged !== undefined) exchange(exchanged, before, after)
    }
    list = isMany ? [...known.values()].sort(byTurn) : (exchanged ?? list)
    return list
  }
}

type Followed = { readonly fleet: Fleet; readonly takeChanged: ReturnType<Fleet['follow']> }

function exchange(list: KeptCandidate[], before: KeptCandidate | undefined, after: KeptCandidate | undefined): void {
  if (before !== undefined) list.splice(placeIn(list, before, byTurn), 1)
  if (after !== undefined) list.splice(placeIn(list, after, byTurn), 0, after)
}

type Weigher = {
  /** Reports whether candidates of the snapshot are weighed alike. */
  readonly isFor: (offer: Offer) => boolean
  readonly weigh: (machine: StateNode | undefined, before: KeptCandidate | undefined) => KeptCandidate | undefined
}

function createWeigher({ objects: { nodePool, nodeOverlay }, instanceTypes }: Offer): Weigher {
  const offer = { objects: { nodePool, nodeOverlay }, instanceTypes }
  const find = candidateFinder(nodePool, isDynamic)
  const withCost = withCosts(offer)
  return {
    isFor: (now) => isSameOffer(now, offer),
    weigh(machine, before) {
      const candidate = machine === undefined ? undefined : find(machine)
      if (candidate === undefined) return undefined
      const weighed = withCost(candidate)
      return { ...weighed, turn: turnOf(weighed), quietAt: quietAt(weighed), trial: trialOf(weighed, before), notes: {} }
    },
  }
}

/** Machines of static pools are no candidates. */
function isDynamic({ replicas }: NodePool): boolean {
  return replicas === undefined
}

type Offer = Pick<FleetSnapshot, 'instanceTypes'> & { readonly objects: Pick<FleetSnapshot['objects'], 'nodePool' | 'nodeOverlay'> }

function isSameOffer(first: Offer, second: Offer): boolean {
  if (first.objects.nodePool !== second.objects.nodePool || first.objects.nodeOverlay !== second.objects.nodeOverlay) return false
  const [types, others] = [first.instanceTypes, second.instanceTypes]
  return types === others || (types.size === others.size && [...types].every(([name, own]) => own === others.get(name)))
}

/**
 * Returns a function that exchanges pools for pools of its last call that disruption cannot tell from them, and the whole list for the list of that
 * call. The status of a pool changes with its machines and with the writes of a decision. What is known of a pool is found by the pool itself.
 */
export function createKeptPools(): (pools: readonly NodePool[]) => readonly NodePool[] {
  let last: readonly NodePool[] = []
  return (pools) => {
    const known = new Map(last.map((pool) => [pool.name, pool]))
    const kept = pools.map((pool) => {
      const before = known.get(pool.name)
      return before !== undefined && isSame(readOf(before), readOf(pool)) ? before : pool
    })
    const isEqual = kept.length === last.length && kept.every((pool, at) => pool === last[at])
    if (!isEqual) last = kept
    return last
  }
}

/** The part of a pool that disruption reads. Of the status it is the condition that pauses the pool. */
function readOf({ status, ...rest }: NodePool): unknown {
  return { ...rest, paused: findCondition(status.conditions, CREATION_PAUSED) }
}
