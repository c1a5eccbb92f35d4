import { defined } from '../../../base/defined.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'

/** A verdict in words, lower case, with its numbers as a manifest would write them. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'pool':
    case 'labels':
    case 'quota':
      return verdict.message
    case 'noTerm':
      return 'its required node affinity matches no node at all'
    case 'taints':
      return `does not tolerate taint ${verdict.taints.join(', ')}`
    case 'sizes':
      return verdict.whose === 'volumes'
        ? `none of its ${verdict.instanceTypes} instance types is where all volumes of the pod are and where the pod may run`
        : `none of its ${verdict.instanceTypes} instance types meets the pod's requirements`
    case 'offering':
      return verdict.instanceTypes === undefined
        ? 'it cannot be bought there now'
        : `none of ${verdict.instanceTypes} instance types can be bought now in the zones and capacity types allowed`
    case 'amount':
    case 'disks':
      return shortfallText(verdict)
    case 'atOnce':
      return `none of ${verdict.instanceTypes} instance types has enough of every resource at once`
    case 'daemons':
      return 'daemons alone take more than it has'
    case 'ports':
      return verdict.takenBy === 'daemons'
        ? `a daemon takes the host port ${verdict.ports.join(', ')} on every instance type that fits`
        : `host port ${verdict.ports.join(', ')} is taken there`
    case 'daemonNeighbours':
      return `pod anti-affinity keeps it apart from DaemonSet ${verdict.daemonSets.join(', ')}, which runs there`
    case 'reservation':
      return `reservation ${verdict.reservation} pays for no more machines`
    case 'limit': {
      const { resource, asked, had } = verdict
      const left = amountText(resource, Math.max(0, had))
      return `limit of ${resource}: ${left} left, the smallest machine that fits needs ${amountText(resource, asked)}`
    }
    case 'minValues':
      return `needs ${verdict.wanted} values of ${verdict.label}, had ${verdict.had}`
    case 'neighbours':
      return neighbourText(verdict)
    case 'neighboursTogether': {
      const shares = verdict.rules.map(({ rule, domains }) => `${RULES[rule]} allows ${shown(domains)}`)
      return `no ${verdict.label} meets all rules about other pods: ${shares.join(', ')}`
    }
    case 'neighboursLeave': {
      const left = verdict.domains.map(({ label, values }) => `${label} ${shown(values)}`)
      return `rules about other pods leave it ${left.join(' and ')}: ${verdictText(verdict.verdict)}`
    }
    case 'noRoom':
      return 'no room was left in this decision'
  }
}

function shortfallText(verdict: Extract<Verdict, { kind: 'amount' | 'disks' }>): string {
  const { instanceTypes } = verdict
  const who = instanceTypes === undefined ? 'it' : `the largest of ${instanceTypes} instance types`
  if (verdict.kind === 'disks') return `attaches ${verdict.asked} volumes of ${verdict.driver}, ${who} takes ${verdict.had}`
  const { resource, asked, had, shortBy } = verdict
  const text = (value: number): string => amountText(resource, value)
  return `asked ${text(asked)} ${resource}, ${who} has ${text(had)} left for pods, short by ${text(shortBy)}`
}

function neighbourText({ rule, label, maxSkew, minDomains, domains, counts }: NeighbourVerdict): string {
  const where = domains.length === 0 ? 'no machine of the pool has that label' : `not in ${shown(domains)}`
  const seen = counts.slice(0, SHOWN).map(([domain, count]) => `${domain}: ${count}`)
  const counted = seen.length === 0 ? 'no pod counts yet' : `pods counted: ${seen.join(', ')}${counts.length > SHOWN ? ', ...' : ''}`
  const bounds = Object.entries(defined({ maxSkew, minDomains })).map(([name, bound]) => `${name} ${bound}`)
  return `${RULES[rule]} over ${label}${bounds.length === 0 ? '' : ` with ${bounds.join(' and ')}`}: ${where} (${counted})`
}

function shown(domains: readonly string[]): string {
  return domains.slice(0, SHOWN).join(', ')
}

const RULES = {
  spread: 'topology spread',
  affinity: 'pod affinity',
  antiAffinity: 'pod anti-affinity',
  repelled: 'anti-affinity of other pods',
} as const
const SHOWN = 5

/** As a manifest would write it. */
function amountText(name: string, value: number): string {
  if (name === 'cpu') return value % 1000 === 0 ? String(value / 1000) : `${value}m`
  if (name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) return `${Math.round(value / 1024 ** 2)}Mi`
  return String(value)
}
