/** Checks everything that a placement promises against the rules of Kubernetes and the pools. Empty if nothing is wrong. */
import type { ClusterSnapshot } from '../../shared/model/clusterSnapshot.ts'
import type { Pod } from '../../shared/model/pod.ts'
import { checkLimits } from './checkLimits.ts'
import { checkOthers, type PlannedNode, type UnmentionedPod } from './checkOthers.ts'
import { checkPool } from './checkPool.ts'
import { checkFit } from './fitRules.ts'
import { isGoneFrom } from './kubernetesRules.ts'
import { type NodeView, viewOfLaunched, viewOfNode, viewsOfClaim } from './nodeView.ts'
import type { Placement } from './placement.ts'
import { type Violation, violation } from './violation.ts'
import { sharedOnceClaims } from './volumeRules.ts'

export function checkPlacement(snapshot: ClusterSnapshot, placement: Placement): readonly Violation[] {
  const pods = new Map<string, Pod>(snapshot.objects.pod.map((pod) => [pod.key, pod]))
  const podsOf = (keys: readonly string[]): readonly Pod[] => keys.flatMap((key) => pods.get(key) ?? [])
  const moving = new Set<string>([...placement.targets.values(), ...placement.claims.map((claim) => claim.pods)].flat())
  const standing = placesThatStand(snapshot, placement, podsOf, moving)
  const fresh = placement.claims.map(
    (claim): PlannedNode => ({ views: viewsOfClaim(snapshot, claim.name, claim.spec, claim.labels), pods: podsOf(claim.pods) }),
  )
  const places = [...standing.places, ...fresh]
  return [
    ...standing.problems,
    ...checkPods(snapshot, placement, pods),
    ...places.flatMap((place) => checkPlace(snapshot, place)),
    ...placement.claims.flatMap((claim) => checkPool(snapshot, claim)),
    ...checkLimits(snapshot, placement.claims),
    ...checkOthers(snapshot, places, unmentionedPods(snapshot, placement, standing.places)),
  ]
}

type ExistingPlaces = { readonly places: readonly PlannedNode[]; readonly problems: readonly Violation[] }

/** All nodes and claims that exist before the plan. Also those without planned pods, because other pods have rules about their pods. */
function placesThatStand(
  snapshot: ClusterSnapshot,
  { targets }: Placement,
  podsOf: (keys: readonly string[]) => readonly Pod[],
  moving: ReadonlySet<string>,
): ExistingPlaces {
  const { objects, drafts } = snapshot
  const unknown = new Map(targets)
  const take = (...names: readonly (string | undefined)[]): readonly Pod[] =>
    names.flatMap((name) => {
      const keys = name === undefined ? [] : (unknown.get(name) ?? [])
      if (name !== undefined) unknown.delete(name)
      return podsOf(keys)
    })
  const places: PlannedNode[] = []
  const problems: Violation[] = []
  const deleting = (name: string, pods: readonly Pod[]): void => {
    if (pods.length > 0) problems.push(violation('target', `claim ${name}`, 'pods are promised to it, but it is being deleted'))
  }
  for (const node of objects.node) {
    const claim = objects.nodeClaim.find((each) => node.providerId !== undefined && each.status.providerId === node.providerId)
    const pods = take(node.name, claim?.name)
    const view = withoutMoving(viewOfNode(snapshot, node), moving)
    const isDeleting = claim === undefined ? node.meta.deletedAt !== undefined : isEnding(claim)
    if (isDeleting) deleting(claim?.name ?? node.name, pods)
    // The pods of a machine that is being deleted leave it, whether there is a place for them or not.
    if (!isDeleting) places.push({ views: [view], pods })
  }
  for (const claim of objects.nodeClaim) {
    if (objects.node.some((node) => node.providerId !== undefined && node.providerId === claim.status.providerId)) continue
    const pods = take(claim.name)
    if (isEnding(claim)) deleting(claim.name, pods)
    else if (claim.status.providerId !== undefined) places.push({ views: [viewOfLaunched(snapshot, claim)], pods })
    else places.push({ views: coming(viewsOfClaim(snapshot, claim.name, claim.spec, claim.meta.labels)), pods })
  }
  for (const { name, spec, labels } of drafts) {
    if (objects.nodeClaim.some((claim) => claim.name === name)) continue
    places.push({ views: coming(viewsOfClaim(snapshot, name, spec, labels)), pods: take(name) })
  }
  for (const name of unknown.keys())
    problems.push(violation('target', `claim ${name}`, 'pods are promised to it, but there is no such claim'))
  return { places, problems }
}

function isEnding({ meta, status }: ClusterSnapshot['objects']['nodeClaim'][number]): boolean {
  return meta.deletedAt !== undefined || status.conditions.some((each) => each.type === 'InstanceTerminating' && each.status === 'True')
}

function coming(views: readonly NodeView[]): readonly NodeView[] {
  return views.map((view) => ({ ...view, mayJoinLater: true }))
}

/** The node without the pods that are planned elsewhere. */
function withoutMoving(view: NodeView, moving: ReadonlySet<string>): NodeView {
  return { ...view, bound: view.bound.filter((pod) => !moving.has(pod.key)) }
}

/** Checks one place. Each problem is kept once, because a claim of many sizes would repeat it for each size. */
function checkPlace(snapshot: ClusterSnapshot, { views, pods }: PlannedNode): readonly Violation[] {
  const [first] = pods
  if (first !== undefined && views.length === 0) return [violation('instanceType', `pod ${first.key}`, 'no machine can come of its claim')]
  const found = new Map<string, Violation>()
  for (const view of views) {
    for (const each of checkFit(snapshot, view, pods)) {
      const mark = `${each.rule} ${each.rule === 'resources' ? '' : each.subject}`
      if (!found.has(mark)) found.set(mark, each)
    }
  }
  return [...found.values()]
}

function checkPods(snapshot: ClusterSnapshot, placement: Placement, pods: ReadonlyMap<string, Pod>): readonly Violation[] {
  const seen = new Map<string, number>()
  for (const key of [...placement.targets.values(), ...placement.claims.map((claim) => claim.pods)].flat())
    seen.set(key, (seen.get(key) ?? 0) + 1)
  const placed = [...seen.keys()].flatMap((key) => pods.get(key) ?? [])
  const problems = [...seen].flatMap(([key, times]) => {
    const pod = pods.get(key)
    if (pod === undefined) return [violation('once', `pod ${key}`, 'placed, but there is no such pod')]
    return [
      ...(times > 1 ? [violation('once', `pod ${key}`, `placed ${times} times`)] : []),
      ...(placement.refused.has(key) ? [violation('once', `pod ${key}`, 'placed and refused')] : []),
      ...(pod.schedulingGroup === undefined
        ? []
        : [violation('resourceClaim', `pod ${key}`, 'placed though it is bound with its group alone')]),
      ...(pod.resourceClaims.length > 0
        ? [violation('resourceClaim', `pod ${key}`, 'placed though nothing reckons with its resource claims')]
        : []),
    ]
  })
  return [
    ...problems,
    ...sharedOnceClaims(snapshot, placed).map((claim) => violation('volume', claim, 'one pod may use it, and several are placed')),
  ]
}

/** The pods that the plan does not mention, because nodes without claims will take them. */
function unmentionedPods(
  { objects }: ClusterSnapshot,
  { targets, claims, refused }: Placement,
  places: readonly PlannedNode[],
): readonly UnmentionedPod[] {
  const placed = new Set<string>([...targets.values(), ...claims.map((claim) => claim.pods)].flat())
  const ids = new Set(objects.nodeClaim.map((claim) => claim.status.providerId))
  const unmanaged = new Set<string>(
    objects.node.filter((node) => node.providerId === undefined || !ids.has(node.providerId)).map(({ name }) => name),
  )
  const standing = places.flatMap(({ views }) => views)
  const nodes = standing.filter((view) => !view.isNew && unmanaged.has(view.name))
  const staying = new Set<string>(standing.map((view) => view.name))
  // Includes the pods of nodes that are being deleted.
  const isHomeless = ({ nodeName }: Pod): boolean => nodeName === undefined || !staying.has(nodeName)
  return objects.pod
    .filter((pod) => isHomeless(pod) && !isGoneFrom(pod) && !placed.has(pod.key) && !refused.has(pod.key))
    .map((pod) => ({ pod, nodes }))
}
