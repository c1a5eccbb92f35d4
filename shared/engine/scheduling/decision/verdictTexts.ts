/** The longer texts of verdicts. */
import { defined } from '../../../base/values.ts'
import { amountText, existingValuesText, labelValuesText, labelValueText } from '../../../model/inWords.ts'
import type { ProblemCode } from '../../../model/problem.ts'
import { formatTimestamp } from '../../../model/time.ts'
import { askedAgainText } from '../../offering/shortSizes.ts'
import { volumeClaimsText } from './neighbourVerdicts.ts'
import type { NeighbourVerdict, Verdict } from './verdict.ts'

type Of<Kind extends Verdict['kind']> = Extract<Verdict, { kind: Kind }>

export function offeringText({ instanceTypes, refusals = [], askedAgain }: Of<'offering'>): string {
  if (instanceTypes === undefined) return 'the offering is not available'
  return `none of ${instanceTypes} instance types can be bought now in the zones and capacity types allowed${refusedText(refusals)}${askedAgainText(askedAgain)}`
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

export function shortfallText(verdict: Of<'amount' | 'disks'>): string {
  const { instanceTypes } = verdict
  const who = instanceTypes === undefined ? 'it' : `the largest of ${instanceTypes} instance types`
  if (verdict.kind === 'disks') return `attaches ${verdict.asked} volumes of ${verdict.driver}, ${who} takes ${verdict.had}`
  const { resource, asked, had, shortBy } = verdict
  const [wanted, missing] = [asked, shortBy].map((amount) => amountText(resource, amount, 'up'))
  return `asked ${wanted} ${resource}, ${who} has ${amountText(resource, had, 'down')} left for pods, short by ${missing}`
}

export function deviceText({ resource, instanceTypes, families, leftOutBy = [] }: Of<'device'>): string {
  if (families.length === 0) return `no size of this region has ${resource}`
  const who = `${families.length === 1 ? 'family' : 'families'} ${families.slice(0, SHOWN).join(', ')}${families.length > SHOWN ? ', ...' : ''}`
  const by = leftOutBy.map(({ whose, asked }) => `${asked} of the ${whose === 'pods' ? 'pod' : 'nodepool'}`)
  const out = by.length === 0 ? '' : `, which ${by.join(' and ')} ${by.length === 1 ? 'leaves' : 'leave'} out`
  return `none of the ${instanceTypes} instance types allowed has ${resource}; sizes of ${who} have it${out}`
}

export function sizesText({ whose, instanceTypes, lacking, volumeClaims }: Of<'sizes'>): string {
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

/** `textOf`: the words of the verdicts on nodes. */
export function neighbourText(verdict: NeighbourVerdict, textOf: (verdict: Verdict) => string): string {
  const { rule, label, about, maxSkew, minDomains, domains, isNewMachine, counts, left = [] } = verdict
  const bounds = Object.entries(defined({ maxSkew, minDomains })).map(([name, bound]) => `${name} ${bound}`)
  const name = `${ruleText(rule, about)} over ${label}${bounds.length === 0 ? '' : ` with ${bounds.join(' and ')}`}`
  if (left.length > 0) {
    const machines = left.map((each) => `node ${each.machine}: ${textOf(each.verdict)}`)
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

export function togetherText({ label, rules }: Of<'neighboursTogether'>): string {
  const shares = rules.map(({ rule, about, domains }) => `${ruleText(rule, about)} allows ${shown(label, domains)}`)
  return `no ${label} meets all rules about other pods: ${shares.join(', ')}`
}

export function portsText({ ports, takenBy }: Of<'ports'>): string {
  const by = takenBy === 'daemons' ? 'a DaemonSet uses' : 'another pod on the node uses'
  return `${by} host ${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`
}

function ruleText(rule: NeighbourVerdict['rule'], about: string): string {
  return `${RULES[rule]} ${about}`
}

/** The values in words, at most the first few. */
export function shown(label: string, domains: readonly string[]): string {
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

export function limitText({ resource, asked, had, isReplacement }: Of<'limit'>): string {
  const left = amountText(resource, Math.max(0, had), 'down')
  const need = amountText(resource, asked, 'up')
  return isReplacement === undefined
    ? `limit of ${resource}: ${left} left, the smallest machine that fits needs ${need}`
    : `limit of ${resource}: ${left} left without the present machine, this instance type needs ${need}`
}

export function claimText({ message, until }: Of<'claim'>): string {
  return until === undefined ? message : `${message}; such a nodeclaim is tried again from ${formatTimestamp(until)}`
}
