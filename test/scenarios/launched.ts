/** The result of a decision: the machine that each claim is launched as, and the place of each pod. */

import { defined, setOwnValue } from '../../shared/base/values.ts'
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { CreateClaim, Decision } from '../../shared/model/decision.ts'
import type { InstanceType, Offering } from '../../shared/model/instanceType.ts'
import { LABEL, type Labels } from '../../shared/model/labels.ts'
import type { Node } from '../../shared/model/node.ts'
import type { NodeClaim } from '../../shared/model/nodeClaim.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { has, requirementsFrom } from '../../shared/model/requirements.ts'
import { type Resources, subtract } from '../../shared/model/resources.ts'
import { node } from '../builders/node.ts'
import { nodeClaim } from '../builders/nodeClaim.ts'
import { placedPods } from '../checker/placedPods.ts'
import type { Stage } from './scenario.ts'

/** The new machine of a claim, with its cheapest offering. */
export type Launched = {
  readonly create: CreateClaim
  readonly labels: Labels
  readonly capacity: Resources
  readonly allocatable: Resources
  readonly reservation?: string
}

export function launchAll(snapshot: ClusterSnapshot, decision: Decision): readonly Launched[] {
  return decision.actions.flatMap((action) => (action.kind === 'createClaim' ? [launch(snapshot, action)] : []))
}

export type Place = { readonly machine: string; readonly labels: Labels }

/** Maps the key of each living pod to its place after the decision is carried out. */
export function placesOf(snapshot: ClusterSnapshot, decision: Decision, launched: readonly Launched[]): ReadonlyMap<string, Place> {
  const { node: nodes, nodeClaim: claims, pod: pods } = snapshot.objects
  const byClaim = new Map<string, Place>(launched.map(({ create: { draft }, labels }) => [draft.name, { machine: draft.name, labels }]))
  for (const claim of claims)
    byClaim.set(claim.name, { machine: claim.name, labels: nodeOfClaim(claim, nodes)?.meta.labels ?? claim.meta.labels })
  for (const draft of snapshot.drafts) byClaim.set(draft.name, { machine: draft.name, labels: draft.labels })
  const places = new Map<string, Place>()
  for (const pod of pods.filter(isAlive)) {
    const there = nodes.find((each) => each.name === pod.nodeName)
    const claim = claims.find((each) => each.status.providerId !== undefined && each.status.providerId === there?.providerId)
    if (there !== undefined) places.set(pod.key, { machine: claim?.name ?? there.name, labels: there.meta.labels })
  }
  for (const { pod, claim } of placedPods(decision)) {
    const place = byClaim.get(claim)
    if (place !== undefined) places.set(pod.key, place)
  }
  for (const pod of onForeign(snapshot, decision)) {
    const foreign = nodes.filter((each) => each.providerId === undefined)
    if (foreign.length === 1) places.set(pod.key, { machine: foreign[0]?.name ?? '', labels: foreign[0]?.meta.labels ?? {} })
  }
  return places
}

/** The claim and the node of the machine at a stage of its life. */
export function machineAt(
  { create, labels, capacity, allocatable }: Launched,
  stage: Stage,
): { readonly claim?: NodeClaim; readonly node?: Node } {
  const { draft } = create
  if (stage === 'draft') return {}
  const isLaunched = stage !== 'created'
  const claim = nodeClaim({
    name: draft.name,
    nodePool: draft.nodePool,
    stage,
    meta: { labels: isLaunched ? labels : draft.labels, annotations: draft.annotations },
    spec: draft.spec,
    status: isLaunched ? { capacity, allocatable } : {},
  })
  if (stage === 'created' || stage === 'launched') return { claim }
  const coming = stage === 'registered' ? draft.spec.startupTaints : []
  const made = node({
    claim: draft.name,
    nodePool: draft.nodePool,
    initialized: stage === 'initialized',
    meta: { labels },
    taints: [...draft.spec.taints, ...coming],
    capacity,
    allocatable,
  })
  return { claim, node: made }
}

function isAlive(pod: Pod): boolean {
  return pod.phase !== 'Succeeded' && pod.phase !== 'Failed' && pod.deletedAt === undefined
}

/** Pending pods that the decision does not mention, because a node without a claim has room for them. */
function onForeign({ objects }: ClusterSnapshot, decision: Decision): readonly Pod[] {
  const spoken = new Set<string>(decision.reasons.map((each) => each.subject.name))
  for (const { pod } of placedPods(decision)) spoken.add(pod.key)
  return objects.pod.filter(
    (pod) => isAlive(pod) && pod.nodeName === undefined && pod.unschedulableSince !== undefined && !spoken.has(pod.key),
  )
}

function nodeOfClaim(claim: NodeClaim, nodes: readonly Node[]): Node | undefined {
  return nodes.find((each) => each.providerId !== undefined && each.providerId === claim.status.providerId)
}

function launch(snapshot: ClusterSnapshot, create: CreateClaim): Launched {
  const { draft, choice } = create
  const types = snapshot.instanceTypes.get(draft.spec.nodeClassRef.name) ?? []
  const type = types.find((each) => each.name === choice.size)
  const wanted = requirementsFrom(draft.spec.requirements)
  const offering = type?.offerings.find((each) => {
    const reservation = wanted.get(LABEL.reservation)
    const isMeant = each.reservation === undefined || reservation === undefined || has(reservation, each.reservation.id)
    return each.zone === choice.zone && each.capacityType === choice.capacityType && isMeant
  })
  const capacity = { ...type?.capacity, ...offering?.capacity }
  const overhead = { ...type?.overhead, ...offering?.overhead }
  return defined({
    create,
    labels: { ...fixedLabels(type, offering, wanted), ...draft.labels, [LABEL.hostname]: `joiner-${draft.name}` },
    capacity,
    allocatable: subtract(capacity, overhead),
    reservation: offering?.reservation?.id,
  })
}

/** One value for each label that the size, the offering and the claim leave open. Linux if possible. */
function fixedLabels(type: InstanceType | undefined, offering: Offering | undefined, wanted: ReturnType<typeof requirementsFrom>): Labels {
  const labels: { [key: string]: string } = {}
  for (const { key, complement, values } of [...(type?.requirements ?? []), ...(offering?.requirements ?? [])]) {
    const asked = wanted.get(key)
    const open = complement ? [] : values.filter((value) => asked === undefined || has(asked, value))
    const value = open.includes('linux') ? 'linux' : open[0]
    if (value !== undefined) setOwnValue(labels, key, value)
  }
  return labels
}
