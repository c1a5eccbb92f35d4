/** Counts daemons of coming machines in rules that reach further than a host. Such a daemon keeps pods out of a zone as a running pod does. */
import { addAll } from '../../../../base/lists.ts'
import type { ObjectKey } from '../../../../model/ids.ts'
import { LABEL } from '../../../../model/labels.ts'
import type { Pod } from '../../../../model/pod.ts'
import { normaliseKey } from '../../../../model/requirements.ts'
import type { Namespace } from '../../../../model/workloads.ts'
import type { Daemon } from '../catalog/daemons.ts'
import type { Bin } from '../nodes/bin.ts'
import type { ExistingNode } from '../nodes/existingNode.ts'
import { type AskedLabels, addTerm, type GrowingLabels } from '../topology/bySelector.ts'
import type { TopologyHost } from '../topology/inverseAntiAffinity.ts'
import {
  asLabelled,
  countOf,
  isInScope,
  raise,
  scopeOf,
  selectsPod,
  type TermScope,
  type TopologyGroup,
  type TopologyGroups,
} from '../topology/topologyGroup.ts'

/** For each daemon, the groups of its anti-affinity over domains wider than a host. */
export type DaemonRules = ReadonlyMap<Daemon, readonly TopologyGroup[]>

/** Returns the rules of the daemons. It adds groups, so call it before the groups are asked which of them select a pod. */
export function daemonRules(daemons: readonly Daemon[], groups: TopologyGroups): DaemonRules {
  const rules = new Map<Daemon, readonly TopologyGroup[]>()
  for (const daemon of daemons) {
    const wide = daemon.pod.podAntiAffinity.required.filter(({ topologyKey }) => normaliseKey(topologyKey) !== LABEL.hostname)
    if (wide.length > 0)
      rules.set(
        daemon,
        wide.map((term) => groups.ofTerm('antiAffinity', term, daemon.pod)),
      )
  }
  return rules
}

/** The rules about one daemon: it keeps away from pods that `own` select, and the owners of `selected` keep away from it. */
type RulesOf = { readonly own: readonly TopologyGroup[]; readonly selected: readonly TopologyGroup[] }

/** The daemons that some rule is about, by their DaemonSet. */
export type WideDaemons = ReadonlyMap<ObjectKey, RulesOf>

export function wideDaemons(demanded: readonly TopologyGroup[], daemons: readonly Daemon[], rules: DaemonRules): WideDaemons {
  const apart = demanded.filter(({ kind, isHost }) => kind === 'antiAffinity' && !isHost)
  const found = new Map<ObjectKey, RulesOf>()
  for (const daemon of daemons) {
    const own = rules.get(daemon) ?? []
    const selected = apart.filter((group) => selectsPod(group, asLabelled(daemon.pod)))
    if (own.length + selected.length > 0) found.set(daemon.key, { own, selected })
  }
  return found
}

/** Counts the daemons that are still missing on existing machines and claims. Rules about a single host are checked when a pod is placed there. */
export function seedDaemons(wide: WideDaemons, existingNodes: readonly ExistingNode[]): void {
  if (wide.size === 0) return
  const coming = existingNodes.flatMap((existingNode) =>
    existingNode.daemonsToCome.flatMap(({ key }) => {
      const rules = wide.get(key)
      // The daemon never comes to a domain that has pods it keeps away from.
      return rules === undefined || rules.own.some((group) => isAmongThem(group, existingNode)) ? [] : [{ existingNode, rules }]
    }),
  )
  for (const { existingNode, rules } of coming) count(entriesOf(rules, existingNode), 1)
}

/** Makes the bin count the daemons of its machine with its first pod, and no longer once it has no pod. */
export type NewDaemons = (bin: Bin) => void

/** Undefined if no rule is about a daemon. */
export function newDaemons(wide: WideDaemons, groups: TopologyGroups): NewDaemons | undefined {
  if (wide.size === 0) return undefined
  // The pods are counted in a group, so that a plan that is undone restores this count together with all others.
  const { selected: podsOn } = groups.ofNewMachines()
  return (bin) => {
    let counted: readonly Entry[] = []
    bin.countDaemons = (pods) => {
      const before = countOf(podsOn, bin.name)
      raise(podsOn, bin.name, pods)
      if (before === 0 && pods > 0) {
        counted = daemonSetsOf(bin).flatMap((key) => entriesOf(wide.get(key), bin))
        count(counted, 1)
      }
      if (before > 0 && before + pods <= 0) count(counted, -1)
    }
  }
}

/** The DaemonSets on any size that the bin may become. */
function daemonSetsOf({ narrowedTemplate: { order } }: Bin): readonly ObjectKey[] {
  return [...new Set(order.flatMap(({ daemonSets }) => daemonSets))]
}

function isAmongThem({ key, selected }: TopologyGroup, { domainOf }: ExistingNode): boolean {
  const domain = domainOf(key)
  return domain !== undefined && countOf(selected, domain) > 0
}

type Entry = { readonly counts: Map<string, number>; readonly domain: string }

/** The counts that a daemon changes. A machine whose zone is open counts in each zone that it may get: anti-affinity must hold in any of them. */
function entriesOf(rules: RulesOf | undefined, host: TopologyHost): readonly Entry[] {
  const entries: Entry[] = []
  for (const group of rules?.selected ?? []) addAll(entries, entriesIn(group, group.selected, host))
  for (const group of rules?.own ?? []) addAll(entries, entriesIn(group, group.owners, host))
  return entries
}

function entriesIn({ key }: TopologyGroup, counts: Map<string, number>, host: TopologyHost): readonly Entry[] {
  return host.domainsOf(key).map((domain) => ({ counts, domain }))
}

function count(entries: readonly Entry[], by: 1 | -1): void {
  for (const { counts, domain } of entries) raise(counts, domain, by)
}

type Sociable = Daemon['pod']

/**
 * For each pod, the DaemonSets that keep away from it or that it keeps away from. Daemons run on a machine before any other pod, so such a DaemonSet
 * rules the machine out from the start. Any domain counts: pods of one machine share it.
 */
export function daemonAntiAffinity(daemons: readonly Daemon[], namespaces: readonly Namespace[]): (pod: Pod) => readonly ObjectKey[] {
  const scopesOf = (pod: Sociable): readonly TermScope[] => pod.podAntiAffinity.required.map((term) => scopeOf(term, pod, namespaces))
  const theirs = daemons.map((daemon) => ({ daemon, scopes: scopesOf(daemon.pod) }))
  const isQuiet = theirs.every(({ scopes }) => scopes.length === 0)
  return (pod) => {
    if (daemons.length === 0 || (isQuiet && pod.podAntiAffinity.required.length === 0)) return NONE
    const own = scopesOf(pod)
    return theirs.filter(({ daemon, scopes }) => areSelected(own, daemon.pod) || areSelected(scopes, pod)).map(({ daemon }) => daemon.key)
  }
}

/** The labels that the anti-affinity terms of daemons select by. */
export function labelsAskedBy(daemons: readonly Daemon[]): AskedLabels {
  const asked: GrowingLabels = new Map()
  for (const { pod } of daemons) for (const term of pod.podAntiAffinity.required) addTerm(asked, term)
  return asked
}

const NONE: readonly ObjectKey[] = []

function areSelected(scopes: readonly TermScope[], pod: Sociable): boolean {
  return scopes.some((scope) => isInScope(scope, asLabelled(pod)))
}
