import { defined } from '../../../base/defined.ts'
import { amountText, existingValuesText, labelValuesText, labelValueText } from '../../../model/inWords.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { formatTimestamp } from '../../../model/timestamp.ts'
import { askedAgainText } from '../../offering/askAgain.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'
import { volumeClaimsText } from './volumeVerdicts.ts'

/** The verdict in words: lower case, without a final stop, with amounts as a manifest writes them. */
export function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'pool':
    case 'labels':
    case 'quota':
      return verdict.message
    case 'noTerm':
      return 'the required node affinity of the pod matches no node'
    case 'taints':
      return `untolerated taint ${verdict.taints.join(', ')}`
    case 'sizes':
      return sizesText(verdict)
    case 'offering':
      return verdict.instanceTypes === undefined
        ? 'the offering is not available'
        : `none of ${verdict.instanceTypes} instance types can be bought now in the zones and capacity types allowed${refusedText(verdict.refusals ?? [])}${askedAgainText(verdict.askedAgain)}`
    case 'amount':
    case 'disks':
      return shortfallText(verdict)
    case 'device':
      return deviceText(verdict)
    case 'atOnce':
      return `none of ${verdict.instanceTypes} instance types has enough of every resource at once`
    case 'daemons':
      return verdict.instanceTypes === undefined
        ? 'the DaemonSets alone request more than it has'
        : `the DaemonSets alone request more than any of ${verdict.instanceTypes} instance types has`
    case 'ports': {
      const by = verdict.takenBy === 'daemons' ? 'a DaemonSet uses' : 'another pod on the node uses'
      return `${by} host ${verdict.ports.length === 1 ? 'port' : 'ports'} ${verdict.ports.join(', ')}`
    }
    case 'daemonNeighbours':
      return `pod anti-affinity keeps the pod off nodes with DaemonSet ${verdict.daemonSets.join(', ')}`
    case 'reservation':
      return `reservation ${verdict.reservation} has no capacity left`
    case 'limit':
      return limitText(verdict)
    case 'minValues':
      return `minValues of ${verdict.label} is ${verdict.wanted}, the instance types that fit have ${verdict.had}`
    case 'claim':
      return claimText(verdict)
    case 'neighbours':
      return neighbourText(verdict)
    case 'neighboursTogether': {
      const shares = verdict.rules.map(({ rule, about, domains }) => `${ruleText(rule, about)} allows ${shown(verdict.label, domains)}`)
      return `no ${verdict.label} meets all rules about other pods: ${shares.join(', ')}`
    }
    case 'neighboursLeave': {
      const left = verdict.domains.map(({ label, values }) => `${label} ${shown(label, values)}`)
      return `rules about other pods allow only ${left.join(' and ')}: ${verdictText(verdict.verdict)}`
    }
    case 'noRoom':
      return 'other pods of this decision take the room'
  }
}

function refusedText(refusals: readonly ProblemCode[]): string {
  const isQuota = (code: ProblemCode): boolean => code.startsWith('AZURE.QUOTA.')
  const quota = refusals.filter(isQuota)
  const others = refusals.filter((code) => !isQuota(code))
  const parts = [
    ...(quota.length > 0 ? [`the quota leaves no room (${quota.join(', ')})`] : []),
    ...(others.length > 0 ? [`Azure refused recent launches (${others.join(', ')})`] : []),
  ]
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

function shortfallText(verdict: Extract<Verdict, { kind: 'amount' | 'disks' }>): string {
  const { instanceTypes } = verdict
  const who = instanceTypes === undefined ? 'it' : `the largest of ${instanceTypes} instance types`
  if (verdict.kind === 'disks') return `attaches ${verdict.asked} volumes of ${verdict.driver}, ${who} takes ${verdict.had}`
  const { resource, asked, had, shortBy } = verdict
  const [wanted, missing] = [asked, shortBy].map((amount) => amountText(resource, amount, 'up'))
  return `asked ${wanted} ${resource}, ${who} has ${amountText(resource, had, 'down')} left for pods, short by ${missing}`
}

function deviceText({ resource, instanceTypes, families, leftOutBy = [] }: Extract<Verdict, { kind: 'device' }>): string {
  if (families.length === 0) return `no size of this region has ${resource}`
  const who = `${families.length === 1 ? 'family' : 'families'} ${families.slice(0, SHOWN).join(', ')}${families.length > SHOWN ? ', ...' : ''}`
  const by = leftOutBy.map(({ whose, asked }) => `${asked} of the ${whose === 'pods' ? 'pod' : 'nodepool'}`)
  const out = by.length === 0 ? '' : `, which ${by.join(' and ')} ${by.length === 1 ? 'leaves' : 'leave'} out`
  return `none of the ${instanceTypes} instance types allowed has ${resource}; sizes of ${who} have it${out}`
}

function sizesText({ whose, instanceTypes, lacking, volumeClaims }: Extract<Verdict, { kind: 'sizes' }>): string {
  const what =
    whose === 'volumes'
      ? `is where all volumes of the pod are (${volumeClaimsText(volumeClaims)}) and where the pod may run`
      : "meets the pod's requirements"
  const isNowhere = lacking.some(({ there }) => there.length > 0)
  const labels = lacking.slice(0, SHOWN).map(({ label, asked, there, inRegion }) => {
    if (inRegion !== undefined) return `${asked} (${existingValuesText(label, inRegion)})`
    return there.length === 0 ? asked : `${asked}, they have ${labelValuesText(label, there, MOST_VALUES)}`
  })
  return `none of its ${instanceTypes} instance types ${what}: asked ${labels.join('; ')}${isNowhere || lacking.length < 2 ? '' : ', which no instance type has together'}`
}

function neighbourText(verdict: NeighbourVerdict): string {
  const { rule, label, about, maxSkew, minDomains, domains, isNewMachine, counts, left = [] } = verdict
  const bounds = Object.entries(defined({ maxSkew, minDomains })).map(([name, bound]) => `${name} ${bound}`)
  const name = `${ruleText(rule, about)} over ${label}${bounds.length === 0 ? '' : ` with ${bounds.join(' and ')}`}`
  if (left.length > 0) {
    const machines = left.map((each) => `node ${each.machine}: ${verdictText(each.verdict)}`)
    return `${name} allows only nodes with such pods: ${machines.join('; ')}`
  }
  const where = isNewMachine === true ? 'does not allow a new node' : `does not allow ${shown(label, domains)}`
  return `${name}: ${domains.length === 0 ? 'no node of the nodepool has that label' : where} (${countedText(verdict, counts)})`
}

function countedText({ rule, label, minDomains = 1 }: NeighbourVerdict, counts: NeighbourVerdict['counts']): string {
  if (counts.length === 0) return rule === 'affinity' ? 'no such pod runs anywhere' : 'no pod counts yet'
  const seen = counts.slice(0, SHOWN).map(([domain, count]) => `${labelValueText(label, domain)}: ${count}`)
  const few = counts.length < minDomains ? `; fewer domains than ${minDomains}, so the least count is 0` : ''
  return `pods counted: ${seen.join(', ')}${counts.length > SHOWN ? ', ...' : ''}${few}`
}

function ruleText(rule: NeighbourVerdict['rule'], about: string): string {
  return `${RULES[rule]} ${about}`
}

function shown(label: string, domains: readonly string[]): string {
  return labelValuesText(label, domains, SHOWN)
}

const RULES = {
  spread: 'topology spread of',
  affinity: 'pod affinity to',
  antiAffinity: 'pod anti-affinity to',
  repelled: 'anti-affinity of other pods to',
} as const
const SHOWN = 5
const MOST_VALUES = 12

function limitText({ resource, asked, had, isReplacement }: Extract<Verdict, { kind: 'limit' }>): string {
  const left = amountText(resource, Math.max(0, had), 'down')
  const need = amountText(resource, asked, 'up')
  return isReplacement === undefined
    ? `limit of ${resource}: ${left} left, the smallest machine that fits needs ${need}`
    : `limit of ${resource}: ${left} left without the present machine, this instance type needs ${need}`
}

function claimText({ message, until }: Extract<Verdict, { kind: 'claim' }>): string {
  return until === undefined ? message : `${message}; such a nodeclaim is tried again from ${formatTimestamp(until)}`
}
