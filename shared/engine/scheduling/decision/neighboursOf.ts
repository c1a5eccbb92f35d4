/** The verdict of one rule about neighbours. */
import { byText } from '../../../base/order.ts'
import { describeSelector } from '../../../model/labelSelector.ts'
import { domainsOfSpread } from '../model/neighbours/domainFilters.ts'
import { isOfPlan } from '../model/nodes/bin.ts'
import { countOf, mostIn, type TopologyGroup } from '../model/topology/topologyGroup.ts'
import type { NeighbourVerdict } from './verdict.ts'

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
  const shown = names.slice(0, MOST_NAMES).join(', ')
  return `${pods} in ${names.length === 1 ? 'namespace' : 'namespaces'} ${shown}${names.length > MOST_NAMES ? ', ...' : ''}`
}

const MOST_NAMES = 3
