/** Explanations of claims as lines of text: claims that will be made, claims that are there, and offerings that cost less. */
import type { DisruptionVerdict } from '../../../model/decision.ts'
import type { NodeClaimName } from '../../../model/ids.ts'
import type { LaunchChoice } from '../../../model/instance.ts'
import { choiceText, purposeText } from '../../../model/inWords.ts'
import { DEMOTED_FACTOR } from '../../../model/sizeReport.ts'
import { formatDuration, formatTimestamp } from '../../../model/time.ts'
import { durationMs, type EpochMs, formatPrice, type MicroUsdPerHour } from '../../../model/units.ts'
import { verdictText } from '../decision/verdictTable.ts'
import type { Cheaper, ClaimStage, Drain, Hold, NewClaim, NotTaken, Removal, StandingClaim } from './explanation.ts'

/** The lines about a claim that is there. `now` is when the snapshot was taken. */
export function thereLines(explanation: StandingClaim, now: EpochMs): readonly string[] {
  const { name, node, pool, stage, removedBecause, decision, choice, sizes, running, expected, cheaper, drain, disruption } = explanation
  const from = sizes === undefined || sizes < 2 ? '' : `, one of ${sizes} instance types that the nodeclaim names`
  const by = decision === undefined ? '' : `, made by decision ${decision}`
  const removed = removedBecause === undefined ? '' : ` (${removedBecause})`
  return [
    `nodeclaim ${name} of nodepool ${pool ?? '?'}: ${STAGE_TEXTS[stage]}${sinceText(drain, now)}${removed}${node === undefined ? '' : `, node ${node}`}${by}`,
    `  machine: ${choice === undefined ? unknownChoice(stage) : `${choiceText(choice)}${from}`}`,
    `  pods: ${running.length} running${expected.length === 0 ? '' : `, ${expected.length} expected`}`,
    ...(drain === undefined ? [] : drainLines(drain)),
    ...cheaperLines(cheaper, now),
    ...(disruption === undefined ? [] : disruptionLines(disruption, now)),
  ]
}

function unknownChoice(stage: ClaimStage): string {
  const isOpen = stage === 'draft' || stage === 'created'
  return isOpen ? 'no offering that the nodeclaim allows is available now' : 'its instance type is not offered any more'
}

const STAGE_TEXTS: { readonly [Stage in ClaimStage]: string } = {
  draft: 'decided, not created yet',
  created: 'not launched yet',
  launched: 'launched, no node yet',
  registered: 'its node is not initialized yet',
  initialized: 'ready',
  deleting: 'being removed',
}

/** The lines about a claim that the decision creates. */
export function claimLines(
  { name, pool, pods, buffers, choice, nextBest, alternatives, cheaper }: NewClaim,
  now: EpochMs,
): readonly string[] {
  const rank = cheaper.some(({ because }) => because.kind === 'demoted') ? 'first choice' : 'cheapest'
  return [
    `  nodeclaim ${name} of nodepool ${pool}, for ${purposeText(pods.length, buffers)}`,
    `  machine: ${choiceText(choice)}, the ${rank} of ${alternatives} instance ${alternatives === 1 ? 'type' : 'types'} that fit`,
    ...(nextBest === undefined ? [] : [`  next best: ${choiceText(nextBest)}${extraText(choice, nextBest)}`]),
    ...cheaperLines(cheaper, now),
  ]
}

function cheaperLines(cheaper: readonly Cheaper[], now: EpochMs): readonly string[] {
  const textOf = ({ choice, because }: Cheaper): string => `${choiceText(choice)}: ${notTakenText(because, now)}`
  const lines = together(cheaper, textOf).flatMap(([first, ...same]) => {
    const own = [first, ...same]
    const others = new Set(own.flatMap(({ sizes }) => sizes)).size - 1
    const many = others === 0 ? '' : ` and ${others} more ${others === 1 ? 'size' : 'sizes'}`
    return `    ${choiceText(first.choice)}${many} of ${poolsText(own)}: ${notTakenText(first.because, now)}`
  })
  const left = lines.length > MOST_SAID ? [`    and others for ${lines.length - MOST_SAID} more reasons`] : []
  return lines.length === 0 ? [] : ['  cheaper, but not taken:', ...lines.slice(0, MOST_SAID), ...left]
}

/** The most lines of one kind. */
export const MOST_SAID = 6

/** Groups the items by text, in the order in which each text comes first. */
export function together<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly (readonly [Item, ...Item[]])[] {
  return [...Map.groupBy(items, textOf).values()].flatMap(([first, ...same]) => (first === undefined ? [] : [[first, ...same] as const]))
}

/** `nodepool a`, or `nodepools a, b`: each NodePool once, in the order of the items. */
export function poolsText(own: readonly { readonly pool: string }[]): string {
  const names = [...new Set(own.map(({ pool }) => pool))]
  return `${names.length === 1 ? 'nodepool' : 'nodepools'} ${names.join(', ')}`
}

const MINUTE_MS = 60_000

function notTakenText(because: NotTaken, now: EpochMs): string {
  if (because.kind === 'blocked') {
    const often = because.times === 1 ? 'lately' : `${because.times} times in a row`
    return `Azure refused it ${often} (${because.code}) and is not asked again for ${Math.ceil((because.until - now) / MINUTE_MS)} minutes`
  }
  if (because.kind === 'demoted')
    return `${FAILURES[because.because]}, so until ${formatTimestamp(because.until)} it counts as ${DEMOTED_FACTOR} times as dear, and replaces no node to save money`
  if (because.kind === 'weight')
    return `its nodepool has weight ${because.weight}, and a nodepool of weight ${because.chosen} takes the pods`
  if (because.kind === 'now') return SERVES_NOW[because.by]
  if (because.kind === 'rules') return `its pods have rules about other pods, which may not hold in another ${because.label}`
  if (because.kind !== 'plan') return verdictText(because)
  return because.placement === 'firstFit'
    ? 'first fit takes nodepools by weight and name, not by price'
    : 'it fits; the plan with the other machine costs less for all pods together'
}

const FAILURES = {
  notBooted: 'machines of this size did not boot lately in this region',
  evicted: 'Azure took spot machines of this size soon after their start',
} as const

const SERVES_NOW = {
  pods: 'it fits the pods that run on the node now',
  claim: 'the nodeclaim allows it, and it is available now',
} as const

function extraText({ price }: LaunchChoice, { price: other }: LaunchChoice): string {
  if (price === undefined || price === 0 || other === undefined || other <= price) return ''
  return ` (${Math.round((other / price - 1) * 100)} % more)`
}

/** What disruption does with a node, as lines of text. */
export function disruptionLines(verdict: DisruptionVerdict, now: EpochMs): readonly string[] {
  switch (verdict.kind) {
    case 'stays':
      return [`  not disrupted (${verdict.code}): ${verdict.message}`]
    case 'next': {
      const { reason, nodes, pods, replacements, saving } = verdict
      const together = nodes === 1 ? 'it' : `it and ${counted(nodes - 1, 'more node')}`
      return [`  the next decision disrupts ${together} (${reason}): ${sumText({ pods, replacements, saving })}`]
    }
    case 'moving': {
      const { id, reason, method, candidates, replacements, saving, startedAt, ready = [] } = verdict.command
      const pods = candidates.reduce((sum, each) => sum + each.pods.length, 0)
      const seconds = Math.max(0, Math.round((now - startedAt) / 1000))
      const waiting = method === 'replace' ? `; ${ready.length} of ${replacements.length} replacements are ready` : ''
      return [`  move ${id} (${reason}) has been disrupting it for ${seconds} s: ${sumText({ pods, replacements, saving })}${waiting}`]
    }
  }
}

type Sum = { readonly pods: number; readonly replacements: readonly NodeClaimName[]; readonly saving: MicroUsdPerHour | undefined }

function sumText({ pods, replacements, saving }: Sum): string {
  const comes = replacements.length === 0 ? 'no replacement' : `replaced by ${replacements.join(', ')}`
  return `${counted(pods, 'pod')} to move, ${comes}, ${saving === undefined ? 'saving unknown' : `saves ${formatPrice(saving)}`}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** What a machine that is being removed waits for, as lines of text. */
function drainLines({ leaving, held, ...removal }: Drain): readonly string[] {
  if (held.length > 0) return [...held.map(({ by, pods }) => `  ${named(pods)} held by ${holdText(by)}`), ...deadlineLine(removal)]
  return [leaving.length === 0 ? '  no pod has to leave any more' : `  waits for ${named(leaving)}, which nothing holds`]
}

/** ` since 2026-01-01T00:00:00Z, 5m ago`. Empty if it is not known since when. */
export function sinceText({ since }: Removal = {}, now: EpochMs): string {
  if (since === undefined) return ''
  const age = Math.max(0, Math.floor((now - since) / SECOND_MS)) * SECOND_MS
  return ` since ${formatTimestamp(since)}, ${formatDuration(durationMs(age))} ago`
}

/** When the hold ends in any case. Empty if it does not. */
export function deadlineLine({ deadline }: Removal = {}): readonly string[] {
  return deadline === undefined ? [] : [`  by ${formatTimestamp(deadline)} the pods are deleted, whatever holds them`]
}

export function holdText({ kind, name }: Hold): string {
  switch (kind) {
    case 'budget':
      return `poddisruptionbudget ${name}, which allows no disruption now`
    case 'oneOfSeveralBudgets':
      return `poddisruptionbudget ${name}, one of several that select the pod: Kubernetes evicts no pod with several`
    case 'annotation':
      return `annotation ${name} of the pod`
  }
}

/** What a user can do so that the pod may go. */
export const LET_GO: { readonly [Kind in Hold['kind']]: string } = {
  budget: 'run more ready replicas, or allow a disruption in spec of the poddisruptionbudget',
  oneOfSeveralBudgets: 'leave one poddisruptionbudget that selects the pod',
  annotation: 'remove the annotation when the pod may be interrupted',
}

function named(pods: readonly string[]): string {
  const more = pods.length > MOST_PODS_NAMED ? ` and ${pods.length - MOST_PODS_NAMED} more` : ''
  return `${pods.length === 1 ? 'pod' : 'pods'} ${pods.slice(0, MOST_PODS_NAMED).join(', ')}${more}`
}

const MOST_PODS_NAMED = 10
const SECOND_MS = 1_000
