/** Verdicts that depend on other objects: rules about neighbours, volumes, and existing nodes that do not take a pod. */
import { byText } from '../../../base/lists.ts'
import { namespaceOf, type ObjectKey, objectKey } from '../../../model/ids.ts'
import { labelValueText } from '../../../model/inWords.ts'
import { describeSelector } from '../../../model/labelSelector.ts'
import type { Pod } from '../../../model/pod.ts'
import {
  describeConflict,
  describeRequirement,
  describeRequirements,
  type RequirementConflict,
} from '../../../model/requirementConflict.ts'
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import type { Plan } from '../candidates/plan.ts'
import { type NarrowedTemplate, withConstraint } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters, domainsOfSpread } from '../model/neighbours/domainFilters.ts'
import { amountsOn, domainsIn, isOfPlan, openBin } from '../model/nodes/bin.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass, RelaxedPod } from '../model/pods/constraint.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import { countOf, mostIn, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import { leastMissing, taintsVerdict } from './noClaim.ts'
import { type Load, roomOnNode, roomVerdict } from './room.ts'
import type { MachineVerdict, NeighbourVerdict, Verdict } from './verdict.ts'

/** A rule, the domains in which a new machine may be, and the domains of these in which the rule allows one more pod. */
export type Ruled = Pick<DomainFilter, 'group' | 'picksOne'> & { readonly domains: readonly string[]; readonly allowed: readonly string[] }

/** The pods that a verdict is about, and the plan that has no place for them. */
export type Asking = { readonly podClass: PodClass; readonly plan: Plan; readonly axes: Axes }

/** Each rule that concerns the pods, with its domains. Empty if the NodePool cannot meet the constraint of the pods. */
export function ruledDomains(narrowedTemplate: NarrowedTemplate, podClass: PodClass, relaxedPod: RelaxedPod, plan: Plan): readonly Ruled[] {
  const narrowed = withConstraint(narrowedTemplate, relaxedPod.constraint)
  if (narrowed === undefined) return []
  const bin = openBin(plan.bins.length, { narrowedTemplate: narrowed, minimums: new Map(), ceiling: undefined, charge: {} }, plan.axes)
  return domainFilters(podClass, relaxedPod).map(({ group, picksOne, allows }) => {
    const domains = group.isHost ? [bin.name] : domainsIn(narrowed, group.key)
    return { group, picksOne, domains, allowed: domains.filter((domain) => allows(domain)) }
  })
}

/** The verdict of the rule that allows no domain, or of the rules that allow no domain together. Undefined if some domain is left. */
export function neighbourVerdict(ruled: readonly Ruled[], relaxedPod: RelaxedPod, { podClass, plan, axes }: Asking): Verdict | undefined {
  const alone = ruled.find(({ allowed }) => allowed.length === 0)
  if (alone !== undefined) {
    const verdict = neighboursOf(alone.group, alone.domains)
    if (!alone.group.isHost) return verdict
    const left = leftToIt(alone.group, plan).map((existingNode): MachineVerdict => {
      return { machine: existingNode.label, verdict: machineVerdict(existingNode, podClass, relaxedPod, axes) }
    })
    return { ...verdict, isNewMachine: true, ...(left.length === 0 ? {} : { left }) }
  }
  for (const [label, rules] of byLabel(ruled)) {
    if (allowedBy(rules).length > 0) continue
    const shares = rules.filter(narrows).map(({ group, domains, allowed }) => {
      const refused = domains.filter((domain) => !allowed.includes(domain))
      const { rule, about } = neighboursOf(group, refused)
      return { rule, about, domains: allowed }
    })
    return { kind: 'neighboursTogether', label, rules: shares }
  }
  return undefined
}

/** Existing nodes on which the pods run that an affinity asks for. A new machine has no such pods, so these nodes are the only ones left. */
function leftToIt({ kind, selected }: TopologyGroup, { existingNodes }: Plan): readonly ExistingNode[] {
  if (kind !== 'affinity') return []
  const left: ExistingNode[] = []
  for (const existingNode of existingNodes) {
    if (selected.has(existingNode.name)) left.push(existingNode)
    if (left.length === MOST_NAMED) break
  }
  return left
}

/** The most nodes, volume claims or namespaces that one verdict names. */
const MOST_NAMED = 3

/** The values that the rules leave of each label that they narrow. Host names are left out. */
export function leftByNeighbours(ruled: readonly Ruled[]): Requirements {
  const left = new Map<string, Requirement>()
  for (const [key, rules] of byLabel(ruled)) {
    if (rules.some(({ group, ...rule }) => !group.isHost && narrows(rule)))
      left.set(key, { key, complement: false, values: allowedBy(rules) })
  }
  return left
}

function byLabel(ruled: readonly Ruled[]): ReadonlyMap<string, readonly Ruled[]> {
  return Map.groupBy(ruled, ({ group }) => group.key)
}

function allowedBy([first, ...others]: readonly Ruled[]): readonly string[] {
  return first?.allowed.filter((domain) => others.every(({ allowed }) => allowed.includes(domain))) ?? []
}

function narrows({ domains, allowed }: Pick<Ruled, 'domains' | 'allowed'>): boolean {
  return allowed.length < domains.length
}

/** The PersistentVolumeClaims of the pod, sorted by name. */
export function volumeClaimsOf(pod: Pod): readonly ObjectKey[] {
  const names = pod.volumes.flatMap((volume) => (volume.kind === 'claim' || volume.kind === 'ephemeral' ? [volume.claimName] : []))
  return [...new Set(names)].sort().map((name) => objectKey(namespaceOf(pod), name))
}

/** The claims in words: `persistentvolumeclaim default/data`, or the first three of several. */
export function volumeClaimsText(claims: readonly ObjectKey[]): string {
  const shown = claims.slice(0, MOST_NAMED).join(', ')
  return `${claims.length === 1 ? 'persistentvolumeclaim' : 'persistentvolumeclaims'} ${shown}${claims.length > MOST_NAMED ? ', ...' : ''}`
}

/** The verdict of a NodePool that makes no machines where the volumes of the pod can be used. */
export function volumesElsewhere(pod: Pod, refused: readonly RequirementConflict[]): Verdict {
  const said = refused.map((each) => describeConflict(each)).join('; ')
  const message = `the volumes of the pod are elsewhere (${volumeClaimsText(volumeClaimsOf(pod))}): ${said}`
  return { kind: 'labels', whose: 'volumes', labels: refused.map(({ key }) => key), message }
}

/** The verdict on requirements of the pod, or of the pod and its volumes, that contradict each other. Undefined if some machine can meet them. */
export function contradiction(pod: Pod, wanted: Requirements, own: Requirements): Verdict | undefined {
  const empty = [...own.values()].filter(isEmpty).map(({ key }) => key)
  if (empty.length > 0) {
    const message = `spec.nodeSelector and spec.affinity.nodeAffinity of the pod leave no value of ${empty.join(', ')}: no machine can meet both`
    return { kind: 'labels', whose: 'pods', labels: empty, message }
  }
  if (pod.volumes.length === 0) return undefined
  const torn = [...own.values()].filter((each) => !isEmpty(each) && isEmpty(wanted.get(each.key)))
  if (torn.length === 0) return undefined
  const asked = torn.map(describeRequirement).join(', ')
  const message = `${volumeClaimsText(volumeClaimsOf(pod))} cannot be used where the pod itself may run, since the pod asks for ${asked}`
  return { kind: 'labels', whose: 'volumes', labels: torn.map(({ key }) => key), message }
}

/** Reports whether no value meets the requirement. */
function isEmpty(requirement: Requirement | undefined): boolean {
  return requirement?.mustExist === true && !requirement.complement && requirement.values.length === 0
}

/**
 * The verdict of the first check that an existing node, or a claim that has no node yet, does not pass: taints, labels, room, then rules about
 * neighbours.
 */
export function machineVerdict(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod, axes: Axes): Verdict {
  const { constraint } = relaxedPod
  const load: Load = { total: amountsOn(existingNode.mounted, podClass), ports: podClass.hostPorts, pods: [constraint] }
  return (
    taintsVerdict(existingNode.taints, [constraint]) ??
    labelsVerdict(existingNode, constraint.alternatives) ??
    roomVerdict(roomOnNode(existingNode), load, axes) ??
    neighboursThere(existingNode, podClass, relaxedPod) ?? { kind: 'noRoom' }
  )
}

/** The labels that the node lacks of the alternative that it comes closest to. Undefined if the node meets an alternative. */
function labelsVerdict(existingNode: ExistingNode, alternatives: readonly Requirements[]): Verdict | undefined {
  if (alternatives.some(existingNode.meets)) return undefined
  const missing = leastMissing(alternatives, (wanted) => [...wanted].filter(([key, each]) => !existingNode.meets(new Map([[key, each]]))))
  if (missing.length === 0) return { kind: 'noTerm' }
  const had = missing.map(([key]) => hadText(key, existingNode.domainsOf(key)))
  const message = `asked ${describeRequirements(new Map(missing)) || 'for another host'}, it has ${had.join(', ')}`
  return { kind: 'labels', whose: 'pods', labels: missing.map(([key]) => key), message }
}

function hadText(key: string, values: readonly string[]): string {
  return values.length === 0 ? `no ${key}` : `${key}=${values.map((value) => labelValueText(key, value)).join('|')}`
}

function neighboursThere(existingNode: ExistingNode, podClass: PodClass, relaxedPod: RelaxedPod): Verdict | undefined {
  for (const { group, allows } of domainFilters(podClass, relaxedPod)) {
    const domain = group.isHost ? existingNode.name : existingNode.domainOf(group.key)
    if (domain !== undefined && !allows(domain)) return neighboursOf(group, [domain])
    if (domain === undefined && group.kind !== 'antiAffinity') {
      return { kind: 'labels', whose: 'pods', labels: [group.key], message: `it has no label ${group.key}, by which a rule counts pods` }
    }
  }
  return undefined
}

/** The verdict of the rule on domains that it refuses, with the counts of the plan as it is now. */
export function neighboursOf(group: TopologyGroup, domains: readonly string[]): NeighbourVerdict {
  const { kind, key: label, maxSkew, minDomains, selected, owners } = group
  const isTheirs = kind === 'antiAffinity' && domains.length > 0 && domains.every((domain) => countOf(selected, domain) === 0)
  const counts = isTheirs ? byName(together([...owners])) : countsOf(group)
  const bounds = kind === 'spread' ? { maxSkew, ...(minDomains > 1 ? { minDomains } : {}) } : {}
  return { kind: 'neighbours', rule: isTheirs ? 'repelled' : kind, label, about: aboutOf(group), ...bounds, domains, counts }
}

type Counts = readonly (readonly [domain: string, count: number])[]

/** The pods that the rule counts, by domain. A spread lists the least count first, since it limits the others, and lists empty domains, too. */
function countsOf(group: TopologyGroup): Counts {
  const { kind, isHost, selected, possible } = group
  const empty = kind === 'spread' && !isHost ? domainsOfSpread(group) : []
  const all = [...new Set([...empty, ...selected.keys(), ...possible.keys()])].map((each) => [each, mostIn(group, each)] as const)
  const counts = byName(together(all.filter(([domain, count]) => count > 0 || empty.includes(domain))))
  return kind === 'spread' ? [...counts].sort(([, one], [, other]) => one - other) : counts
}

/** Adds up the counts of new machines in one entry: a user cannot look for their names yet. */
function together(counts: Counts): Counts {
  const isNew = ([domain]: Counts[number]): boolean => isOfPlan(domain)
  const fresh = counts.filter(isNew).reduce((sum, [, count]) => sum + count, 0)
  return fresh === 0 ? counts : [...counts.filter((each) => !isNew(each)), ['new machines', fresh]]
}

function byName(counts: Counts): Counts {
  return [...counts].sort(([first], [second]) => byText(first, second))
}

/** The pods that the rule selects, in words. A spread selects only pods in the namespace of the pod, so that no namespace is named. */
function aboutOf({ kind, selector, namespaces }: TopologyGroup): string {
  const pods = describeSelector(selector)
  if (kind === 'spread') return pods
  const names = [...namespaces].sort()
  const shown = names.slice(0, MOST_NAMED).join(', ')
  return `${pods} in ${names.length === 1 ? 'namespace' : 'namespaces'} ${shown}${names.length > MOST_NAMED ? ', ...' : ''}`
}
