import { decide, type LoadedCluster, loadCluster, partThatDecides } from '../../engine/loadedCluster.ts'
import type { Planned } from '../../engine/scheduling/planningState.ts'
import { type ClusterSnapshot, type DecisionContext, type Delta } from '../../model/clusterSnapshot.ts'
import { isTrue } from '../../model/condition.ts'
import type { Decision, LeftOut } from '../../model/decision.ts'
import type { MachineNames } from '../../model/ids.ts'
import { type NodeClaim, nodeNameOf } from '../../model/nodeClaim.ts'
import type { EpochMs } from '../../model/units.ts'
import { createPaceKeeper, type DisruptionPace } from './disruptionPace.ts'
import type { ObjectStore } from './objectStore.ts'
import { type Departures, type PodEnds, withPodEvent } from './podEnds.ts'

export interface Decider {
  /** Reports whether the cluster is still loaded from an earlier decision. */
  isLoaded(): boolean
  disruptionPace(now: EpochMs): DisruptionPace
  /** The first decision loads the cluster. A later decision applies what has changed since. */
  decide(context: DecisionContext): Decision
  /** The plan that a decision made now would have, and its snapshot. Valid until the next call. */
  plan(context: DecisionContext): PlannedSnapshot
  /** Which claims a decision made now would disrupt, and why the others stay, even if disruption is not due yet. */
  disrupt(context: DecisionContext): Decision
  /** The full input of a decision made now. */
  snapshot(context: DecisionContext): ClusterSnapshot
}

/** `leftOut`: objects that planning fails with. The snapshot does not have them. Undefined if there are none. */
export type PlannedSnapshot = { readonly planned: Planned; readonly snapshot: ClusterSnapshot; readonly leftOut?: readonly LeftOut[] }

/** Keeps the cluster loaded between decisions. A decision that throws leaves nothing loaded, so that the next one loads again. */
export function createDecider(store: ObjectStore, departures: Departures, podEnds: PodEnds): Decider {
  const picture = { podLeftAt: departures.leftAt }
  let loaded: LoadedCluster | undefined
  /** The loaded cluster if a decision was made of it. A plan or an explanation alone is not enough. */
  let decidedOn: LoadedCluster | undefined
  const pace = createPaceKeeper({
    podEnds,
    pods: () => store.list('pod').length,
    isDrained: (name) => isDrained(store.find('nodeClaim', name)),
  })

  /** The changes since the last call. Claims carry the time of the last pod event, so a pod that leaves a node changes the claim. */
  function changesSince(names: MachineNames): Delta {
    const { put = {}, removed = {} } = store.takeChanges()
    const claims = new Map((put.nodeClaim ?? []).map((claim) => [claim.name, claim]))
    const left = new Set(departures.takeLeft())
    if (left.size > 0) for (const claim of store.list('nodeClaim')) if (left.has(nodeNameOf(claim, names))) claims.set(claim.name, claim)
    return { put: { ...put, nodeClaim: [...claims.values()].map((claim) => withPodEvent(claim, picture, names)) }, removed }
  }

  function objects(names: MachineNames): ClusterSnapshot['objects'] {
    const all = store.all()
    return { ...all, nodeClaim: all.nodeClaim.map((claim) => withPodEvent(claim, picture, names)) }
  }

  function using<Answer>({ settings: { machineNames } }: DecisionContext, ask: (cluster: LoadedCluster) => Answer): Answer {
    const changes = changesSince(machineNames)
    const kept = loaded
    loaded = undefined
    const cluster = kept ?? loadCluster(objects(machineNames))
    kept?.apply(changes)
    const answer = ask(cluster)
    loaded = cluster
    return answer
  }

  const snapshot = (context: DecisionContext): ClusterSnapshot => ({ ...context, objects: objects(context.settings.machineNames) })

  return {
    snapshot,
    isLoaded: () => loaded !== undefined && loaded === decidedOn,
    disruptionPace: pace.at,
    decide(context) {
      const decided = decideInPart(
        () => using(context, (cluster) => cluster.decide(context)),
        () => snapshot(context),
      )
      decidedOn = loaded
      pace.decided(context, decided)
      return decided
    },
    disrupt(context) {
      const { disruptionResumesAt: _, ...now } = context
      return inPart(
        () => using(now, (cluster) => cluster.disrupt(now)),
        () => snapshot(now),
        ({ part }) => loadCluster(part.objects).disrupt(part),
      )
    },
    plan: (context) =>
      inPart(
        () => using(context, (cluster) => plannedBy(cluster, { ...context, objects: objects(context.settings.machineNames) })),
        () => snapshot(context),
        ({ part, leftOut }) => ({ ...plannedBy(loadCluster(part.objects), part), leftOut }),
      ),
  }
}

function isDrained(claim: NodeClaim | undefined): boolean {
  return claim === undefined || isTrue(claim.status.conditions, 'InstanceTerminating')
}

function plannedBy(cluster: LoadedCluster, { objects, ...context }: ClusterSnapshot): PlannedSnapshot {
  const { planned, judged, commands } = cluster.plan(context)
  return { planned, snapshot: { ...context, commands, objects: { ...objects, ...judged } } }
}

/** An answer about the whole cluster. If planning fails, the answer is about the part that does not fail. */
function inPart<Answer>(
  whole: () => Answer,
  snapshot: () => ClusterSnapshot,
  ofPart: (around: ReturnType<typeof partThatDecides>) => Answer,
): Answer {
  try {
    return whole()
  } catch (failure) {
    return ofPart(partThatDecides(snapshot(), failure))
  }
}

/** Objects that the decision of the loaded cluster fails with are left out of it. Then nothing stays loaded. */
function decideInPart(ofLoaded: () => Decision, snapshot: () => ClusterSnapshot): Decision {
  try {
    return ofLoaded()
  } catch {
    return decide(snapshot())
  }
}

/**
 * The most objects that one process holds of all its clusters. A cluster with 5,000 nodes and 100,000 pods has 110,000 objects and takes some 290 MiB
 * (`npm run bench:app`). This number fits an instance of 2 GiB, beside all else.
 */
const MOST_OBJECTS = 400_000

/** The state that a process holds of one cluster. */
export type Holding = {
  readonly size: () => number
  readonly forget: () => void
}

/** The clusters that one process holds. If they have too many objects, the least recently used cluster is forgotten. */
export interface LoadedClusters {
  /** Notes that the cluster was used now. */
  used(holding: Holding): void
}

export function createLoadedClusters(mostObjects = MOST_OBJECTS): LoadedClusters {
  /** The least recently used cluster comes first. */
  const held = new Set<Holding>()
  return {
    used(holding) {
      held.delete(holding)
      held.add(holding)
      let objects = [...held].reduce((sum, each) => sum + each.size(), 0)
      for (const each of held) {
        if (objects <= mostObjects || each === holding) return
        objects -= each.size()
        each.forget()
        held.delete(each)
      }
    },
  }
}
