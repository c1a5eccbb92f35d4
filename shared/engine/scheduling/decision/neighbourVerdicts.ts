/** The rules about neighbours that keep a pod from every new machine of a NodePool. */
import type { Requirement, Requirements } from '../../../model/requirements.ts'
import type { Plan } from '../candidates/plan.ts'
import { type NarrowedTemplate, withConstraint } from '../model/catalog/narrowedTemplate.ts'
import { type DomainFilter, domainFilters } from '../model/neighbours/domainFilters.ts'
import { openBin } from '../model/nodes/bin.ts'
import { domainsIn } from '../model/nodes/domains.ts'
import type { ExistingNode } from '../model/nodes/existingNode.ts'
import type { PodClass, RelaxedPod } from '../model/pods/podClass.ts'
import type { Axes } from '../model/quantities/amounts.ts'
import type { TopologyGroup } from '../model/topology/topologyGroup.ts'
import { machineVerdict } from './machineVerdict.ts'
import { neighboursOf } from './neighboursOf.ts'
import type { MachineVerdict, Verdict } from './verdict.ts'

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
    if (left.length === MOST_LEFT) break
  }
  return left
}

/** The most existing nodes that one verdict names. */
const MOST_LEFT = 3

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
