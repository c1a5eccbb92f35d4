/** Sorts pods into classes and finds, once for each class, the spread, affinity and anti-affinity rules that concern it. */
import { canonicalJson } from '../../../../base/json.ts'
import { byKey } from '../../../../base/lists.ts'
import { isSameFlat, ownValue } from '../../../../base/values.ts'
import type { ClusterSnapshot } from '../../../../model/clusterSnapshot.ts'
import { isOfOneNamespace, namespaceOf, type ObjectKey, objectKey } from '../../../../model/ids.ts'
import { selects } from '../../../../model/labelSelector.ts'
import type { Labels } from '../../../../model/labels.ts'
import type { LabelSelector, Pod, PodAffinityTerm } from '../../../../model/pod.ts'
import type { RequirementSpec } from '../../../../model/requirements.ts'
import type { Service, Workload } from '../../../../model/workloads.ts'
import type { Amounts, Axes } from '../quantities/amounts.ts'
import type { Work } from '../quantities/work.ts'
import { asLabelled, groupsSelecting, type Labelled, type TopologyGroup, type TopologyGroups } from '../topology/topologyGroup.ts'
import { type Candidate, isLeaving } from './admission.ts'
import type { Constraints, PodClass, PoolRefusal, RelaxedPod } from './constraint.ts'
import { asksTheSame, createPodFinder, formText, type PodReplicas, type Reading, requestsText } from './podReplicas.ts'
import type { EquivalenceClass } from './queue.ts'
import { merged, type RelaxationInput, type Wishes, wishesOf } from './relaxation.ts'
import { type WorkloadSources, workloadsOf } from './waitingPods.ts'

export type ClassInput = {
  readonly shared: ReadonlySet<string>
  readonly axes: Axes
  readonly groups: TopologyGroups
  readonly relaxation: RelaxationInput
  readonly constraints: Constraints
  /** The DaemonSets that a pod must not share a machine with. */
  readonly apartFrom: (pod: Pod) => readonly ObjectKey[]
  /** The NodePools that make no claim for a pod, since the API server refuses it. */
  readonly refusalsOf: (pod: Pod) => readonly PoolRefusal[]
  readonly work: Work
}

/** The first pod of the class, with the fields that affinity rules read. */
export function labelledOf({ first }: EquivalenceClass): Labelled {
  return asLabelled(first.pod)
}

/** Classes in the order of their first pods. */
export function podClasses(drafts: readonly EquivalenceClass[], input: ClassInput): readonly PodClass[] {
  const { work } = input
  const formOf = podForms((first): Form => ({ first, relaxedPods: relaxedPodsOf(first, input), counting: undefined }), work)
  const withForms = drafts.map((alike) => ({ alike, form: formOf(alike.first) }))
  // All groups are known only from here on.
  const selected = groupsSelecting(input.groups, work)
  const amountsOf = amountsMaker(input.axes)
  work.classes += drafts.length
  let relaxedPods = 0
  return withForms.map(({ alike, form }, id) => {
    const firstId = relaxedPods
    relaxedPods += form.relaxedPods.length
    form.counting ??= countingGroups(form, selected)
    return classOf(id, alike, { ...form.counting, relaxedPods: form.relaxedPods, firstId, amounts: amountsOf(alike.first) }, input)
  })
}

/** What pods share that differ only in size. */
type Form = {
  readonly first: Candidate
  readonly relaxedPods: readonly Omit<RelaxedPod, 'id'>[]
  /** Undefined until all groups are known. */
  counting: Pick<PodClass, 'counted' | 'repelledBy'> | undefined
}

function countingGroups({ first }: Form, selected: ReturnType<typeof groupsSelecting>): NonNullable<Form['counting']> {
  const counted = selected(asLabelled(first.pod))
  return { counted, repelledBy: counted.filter((group) => group.kind === 'antiAffinity') }
}

/** Returns one shared object for equal amounts, so that what is worked out for one size serves all pods of it. */
function amountsMaker(axes: Axes): (candidate: Candidate) => Amounts {
  const known = new Map<string, Amounts>()
  return ({ pod, volumes }) => {
    const text = `${requestsText(pod)}${attachedText(volumes)}`
    const same = known.get(text) ?? axes.amountsOf(pod.requests, volumes.attached)
    known.set(text, same)
    return same
  }
}

function attachedText({ attached }: Candidate['volumes']): string {
  if (attached.size === 0) return ''
  const counts = [...attached].map(([driver, claims]) => ` ${driver}=${claims.length}`)
  return counts.sort().join('')
}

/** `firstId`: the id of the first relaxed pod of the class. */
type ClassParts = NonNullable<Form['counting']> & Pick<Form, 'relaxedPods'> & { readonly firstId: number; readonly amounts: Amounts }

function classOf(
  id: number,
  { first: { pod, volumes }, count, pods }: EquivalenceClass,
  { counted, repelledBy, relaxedPods, firstId, amounts }: ClassParts,
  { axes, shared, constraints, refusalsOf }: Pick<ClassInput, 'axes' | 'shared' | 'constraints' | 'refusalsOf'>,
): PodClass {
  const refusals = refusalsOf(pod)
  return {
    ...asLabelled(pod),
    id,
    pod,
    count,
    pods,
    requests: pod.requests,
    amounts,
    shared: sharedVolumes(volumes, axes, shared),
    hostPorts: pod.hostPorts,
    isLeaving: isLeaving(pod),
    relaxedPods: relaxedPods.map((each, index) => {
      const constraint = constraints.refusedBy(each.constraint, refusals)
      return { ...each, constraint, id: firstId + index }
    }),
    counted,
    repelledBy,
  }
}

function sharedVolumes({ attached }: Candidate['volumes'], axes: Axes, shared: ReadonlySet<string>): PodClass['shared'] {
  if (attached.size === 0) return NO_VOLUMES
  return [...attached].flatMap(([driver, claims]) => {
    const axis = axes.names.length + axes.drivers.indexOf(driver)
    return claims.filter((claim) => shared.has(claim)).map((claim) => ({ claim, axis }))
  })
}

const NO_VOLUMES: PodClass['shared'] = []

function relaxedPodsOf({ pod, volumes }: Candidate, input: ClassInput): readonly Omit<RelaxedPod, 'id'>[] {
  const { constraints, relaxation, work } = input
  const apartFrom = input.apartFrom(pod)
  const places = relaxation.oneTermAtATime ? volumes.alternatives : merged(volumes.alternatives)
  const groupsOf = groupsFor(pod, input)
  return wishesOf(pod, relaxation).map((wishes): Omit<RelaxedPod, 'id'> => {
    const { required, wanted, tolerations, gaveUp } = wishes
    const { spread, affinity, antiAffinity } = groupsOf(wishes)
    work.wishes += 1 + wanted.length * places.length
    work.scopes += spread.length + affinity.length + antiAffinity.length
    return {
      constraint: constraints.of({ tolerations, wanted, places, hostPorts: pod.hostPorts, apartFrom }),
      required,
      wanted,
      spread,
      affinity,
      antiAffinity,
      owned: antiAffinity.slice(0, pod.podAntiAffinity.required.length),
      gaveUp,
    }
  })
}

/** Finds the groups of a pod's rules. A rule that stays while others are given up is looked up once. */
function groupsFor(pod: Pod, { groups }: ClassInput): (wishes: Wishes) => Pick<RelaxedPod, 'spread' | 'affinity' | 'antiAffinity'> {
  const together = pod.podAffinity.required
  // A pod may have one term in both lists, even as one object. It means the opposite in the second.
  const [ofAffinity, ofAntiAffinity] = [once(), once()]
  return ({ required, tolerations, spread, affinity, antiAffinity }) => ({
    // Tolerations matter to spread constraints only.
    spread: spread.map((each) => groups.ofSpread(each, pod, { required, tolerations })),
    affinity: affinity.map((term, at) =>
      ofAffinity(term, () => groups.ofTerm('affinity', term, pod, at < together.length ? without(together, at) : [])),
    ),
    antiAffinity: antiAffinity.map((term) => ofAntiAffinity(term, () => groups.ofTerm('antiAffinity', term, pod))),
  })
}

function once(): (term: PodAffinityTerm, find: () => TopologyGroup) => TopologyGroup {
  const known = new Map<PodAffinityTerm, TopologyGroup>()
  return (term, find) => {
    const group = known.get(term) ?? find()
    known.set(term, group)
    return group
  }
}

function without<Value>(list: readonly Value[], at: number): readonly Value[] {
  return list.filter((_, index) => index !== at)
}

/**
 * Returns a function that finds or makes the form of a candidate: all that placement reads of a pod except its size. Pods that differ only in size
 * share one form. A candidate with volumes has a form of its own.
 */
function podForms<Form>(make: (first: Candidate) => Form, work: Reading): (candidate: Candidate) => Form {
  const makeEntry = (pod: Pod): Entry<Form> => ({ pod, form: undefined })
  const finder = createPodFinder({ textOf: formText, isAlike: areOfOneForm, make: makeEntry }, work)
  return (candidate) => {
    if (candidate.pod.volumes.length > 0) return make(candidate)
    const entry = finder.of(candidate.pod)
    entry.form ??= make(candidate)
    return entry.form
  }
}

type Entry<Form> = { readonly pod: Pod; form: Form | undefined }

/** Reports whether two pods have the same labels and ask the same of their node. Sizes and volumes are not compared. */
function areOfOneForm(first: Pod, second: Pod): boolean {
  return isSameFlat(first.labels, second.labels) && isOfOneNamespace(first, second) && asksTheSame(first, second)
}

/** Returns the pods, with the default constraints added to pods that state none. A pod without service and owner selector stays as it is. */
export function withDefaultSpread(
  replicas: readonly PodReplicas[],
  objects: Pick<ClusterSnapshot['objects'], 'service'> & WorkloadSources,
  { defaultSpread = [] }: ClusterSnapshot['settings'],
): readonly PodReplicas[] {
  if (defaultSpread.length === 0 || replicas.length === 0) return replicas
  const selectorOf = selectors(objects.service, workloadsOf(objects))
  return replicas.map((each) => {
    const selector = each.pod.topologySpread.length > 0 ? undefined : selectorOf(each.pod)
    if (selector === undefined) return each
    const topologySpread = defaultSpread.map((constraint) => ({ ...constraint, selector, matchLabelKeys: [] }))
    return { ...each, pod: { ...each.pod, topologySpread } }
  })
}

function selectors(services: readonly Service[], workloads: readonly Workload[]): (pod: Pod) => LabelSelector | undefined {
  const byNamespace = Map.groupBy([...services].sort(byKey((each) => each.key)), namespaceOf)
  const owners = new Map(workloads.map((each) => [`${each.apiVersion} ${each.kind} ${each.key}`, each]))
  const known = new Map<string, LabelSelector | undefined>()
  return (pod) => {
    const namespace = namespaceOf(pod)
    const near = byNamespace.get(namespace) ?? []
    const owner = pod.owner?.controls === false ? undefined : pod.owner
    const text = canonicalJson([namespace, owner?.uid ?? null, near.length === 0 ? null : pod.labels])
    if (known.has(text)) return known.get(text)
    const own = owner === undefined ? undefined : owners.get(`${owner.apiVersion} ${owner.kind} ${objectKey(namespace, owner.name)}`)
    const selector = selectorFrom(labelsOfServices(near, pod), own)
    known.set(text, selector)
    return selector
  }
}

/** The selectors of all services that select the pod, taken together. If several name one label, the last value counts. */
function labelsOfServices(services: readonly Service[], pod: Pod): Labels {
  const own = services.filter(
    ({ selector }) => selector !== undefined && selects({ matchLabels: selector, matchExpressions: [] }, pod.labels),
  )
  return Object.fromEntries(own.flatMap(({ selector = {} }) => Object.entries(selector)))
}

/**
 * Undefined if nothing is selected. The labels of a ReplicationController overrule those of services. The selector of a ReplicaSet or StatefulSet
 * must hold together with them.
 */
function selectorFrom(services: Labels, owner: Workload | undefined): LabelSelector | undefined {
  const kind = owner === undefined ? '' : `${owner.apiVersion} ${owner.kind}`
  if (kind === 'v1 ReplicationController')
    return nonEmpty({ matchLabels: { ...services, ...owner?.selector?.matchLabels }, matchExpressions: [] })
  const isSet = kind === 'apps/v1 ReplicaSet' || kind === 'apps/v1 StatefulSet'
  const { matchLabels = {}, matchExpressions = [] } = (isSet ? owner?.selector : undefined) ?? {}
  // A label that both name must have both values.
  const both = Object.entries(matchLabels).filter(([key, value]) => (ownValue(services, key) ?? value) !== value)
  const more = both.map(([key, value]): RequirementSpec => ({ key, operator: 'In', values: [value] }))
  return nonEmpty({ matchLabels: { ...matchLabels, ...services }, matchExpressions: [...matchExpressions, ...more] })
}

function nonEmpty(selector: LabelSelector): LabelSelector | undefined {
  return Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0 ? undefined : selector
}
