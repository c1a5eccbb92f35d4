/** What all tries start from: the classes of pods that may have to move, and the existing nodes that may take them. */

import { type DecisionContext } from '../../../model/clusterSnapshot.ts'
import type { Pod } from '../../../model/pod.ts'
import type { StateNode } from '../../cluster/stateNode.ts'
import { takeExistingNode } from '../candidates/firstFit/firstFit.ts'
import type { Plan } from '../candidates/plan.ts'
import { newPlan } from '../choice/newPlan.ts'
import type { Cluster } from '../model/cluster/cluster.ts'
import { freeCapacityOf } from '../model/cluster/freeCapacity.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import { type Asked, admission, type Batch, type PlacementProblem, problemAbout } from '../model/placementProblem.ts'
import type { Candidate } from '../model/pods/admission.ts'
import type { PodClass } from '../model/pods/constraint.ts'
import type { PodReplicas } from '../model/pods/podReplicas.ts'
import { movingPods } from '../model/pods/podsToPlace.ts'
import type { Work } from '../model/quantities/work.ts'
import { type AlikePods, alikePods, type BoundReplicas, type Likeness, type Share } from './boundReplicas.ts'
import type { PlacedPod } from './placedPods.ts'

export type RelocationProblem = {
  readonly problem: Omit<PlacementProblem, 'refused'>
  /** The existing node of a machine. Undefined if its pods ask for more than the machine has. */
  existingNodeOf(machine: StateNode): ExistingNode | undefined
  /** The class of pods that are alike. Undefined if no machine could take such a pod. */
  classOf(likeness: Likeness): PodClass | undefined
  sharesOf(machine: StateNode): readonly Share[]
}

export type Relocatable = {
  /** Machines that may be closed, by name. */
  readonly machines: readonly StateNode[]
  /** Machines among these that may go with pods that cannot be evicted. Such pods end with the machine, and no place is sought for them. */
  readonly withHeldPods: readonly StateNode[]
  /** Machines that may take pods, in the order in which they are best filled. */
  readonly places: readonly StateNode[]
}

/** The waiting pods. Their places are settled, and no moving pod gets the same room. */
type Waiting = Pick<Batch, 'real' | 'ofBuffers' | 'deleting' | 'moving'>

export function relocationProblem(
  cluster: Cluster,
  context: DecisionContext,
  waiting: Waiting,
  { machines, withHeldPods }: Relocatable,
  bound: BoundReplicas,
  work: Work,
): RelocationProblem {
  const sharesOf = sharesLessHeld(bound, withHeldPods, cluster, context)
  const likenesses = new Map<Likeness, number>()
  for (const machine of machines)
    for (const { likeness, pods } of sharesOf(machine)) likenesses.set(likeness, (likenesses.get(likeness) ?? 0) + pods.length)
  const running = [...likenesses].map(([{ pod }, count]): PodReplicas => ({ pod, count, pods: () => NOBODY }))
  const admitted = admission(cluster, context)
  const known = [...likenesses.keys()]
  const ofRunning = admitted(running)
  const ofWaiting = [...admitted(waiting.real).candidates, ...admitted(waiting.ofBuffers).candidates]
  let together: AlikePods | undefined
  const asked: Asked = {
    candidates: [...ofWaiting, ...ofRunning.candidates],
    deleting: waiting.deleting,
    moving: waiting.moving,
    queueOf(shared, standing) {
      together = alikePods(ofWaiting, ofRunning.candidates, { shared, standing, work })
      return { alike: together.alike, runs: [] }
    },
  }
  const problem = problemAbout(cluster, context, asked, work, { placement: context.settings.placement ?? 'price' })
  const classOf = (candidate: Candidate): PodClass | undefined => {
    const place = together?.placeOf(candidate)
    return place === undefined ? undefined : problem.classes[place]
  }
  const classes = classesByLikeness(known, running, ofRunning.candidates, classOf)
  return {
    problem,
    existingNodeOf: cluster.machines.placeOn,
    classOf: (likeness) => classes.get(likeness),
    sharesOf,
  }
}

const NOBODY: readonly Pod[] = []

function sharesLessHeld(
  bound: BoundReplicas,
  withHeldPods: readonly StateNode[],
  { objects }: Cluster,
  { takenAt }: DecisionContext,
): RelocationProblem['sharesOf'] {
  if (withHeldPods.length === 0) return bound.of
  const machines = new Set(withHeldPods)
  const moving = new Set(movingPods(withHeldPods, takenAt, objects.podDisruptionBudget))
  const less = ({ likeness, pods }: Share): readonly Share[] => {
    const own = pods.filter((pod) => moving.has(pod))
    return own.length === 0 ? [] : [{ likeness, pods: own, counted: own.filter(({ deletedAt }) => deletedAt === undefined).length }]
  }
  return (machine) => (machines.has(machine) ? bound.of(machine).flatMap(less) : bound.of(machine))
}

/** Admission leaves out some candidates and keeps the others in order. A candidate is recognized by the uid of its pod. */
function classesByLikeness(
  known: readonly Likeness[],
  running: readonly PodReplicas[],
  candidates: readonly Candidate[],
  classOf: (candidate: Candidate) => PodClass | undefined,
): ReadonlyMap<Likeness, PodClass> {
  const found = new Map<Likeness, PodClass>()
  let at = 0
  for (const [index, likeness] of known.entries()) {
    const candidate = candidates[at]
    if (candidate === undefined || candidate.pod.uid !== running[index]?.pod.uid) continue
    const podClass = classOf(candidate)
    if (podClass !== undefined) found.set(likeness, podClass)
    at++
  }
  return found
}

/** A plan in which the waiting pods have their places and no machine is closed yet. */
export function basePlan(
  { problem, existingNodeOf }: RelocationProblem,
  { places }: Relocatable,
  placed: readonly PlacedPod[],
  work: Work,
): Plan {
  const existingNodes = places.flatMap((machine) => existingNodeOf(machine) ?? [])
  const room = freeCapacityOf(existingNodes, problem.axes, problem.room.version)
  const plan: Plan = { ...newPlan({ ...problem, refused: [] }, work), existingNodes, room, commitment: 'early', nodesFirst: false }
  for (const { existingNode, podClass } of placed) {
    const relaxedPod = podClass.relaxedPods[0]
    if (relaxedPod !== undefined) takeExistingNode(plan, existingNode, podClass, relaxedPod, 1)
  }
  return plan
}
