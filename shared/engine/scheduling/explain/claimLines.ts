/** Explanations of claims as lines of text: claims that will be made, claims that are there, and offerings that cost less. */
import { choiceText, purposeText } from '../../../model/inWords.ts'
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import { DEMOTED_FACTOR } from '../../../model/sizeReport.ts'
import { formatTimestamp } from '../../../model/timestamp.ts'
import type { EpochMs } from '../../../model/units.ts'
import { verdictText } from '../decision/verdictTable.ts'
import { disruptionLines } from './disruptionLines.ts'
import { drainLines, sinceText } from './drainLines.ts'
import type { Cheaper, ClaimStage, NewClaim, NotTaken, StandingClaim } from './explanation.ts'

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
