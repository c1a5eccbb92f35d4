/** Explanations as few lines of text, for whoever asked at a terminal. */
import type { LaunchChoice } from '../../../model/launchPlan.ts'
import { type EpochMs, formatPrice } from '../../../model/units.ts'
import type { PoolVerdict } from '../answer/refusals.ts'
import { verdictText } from '../answer/verdictText.ts'
import type {
  Cheaper,
  ClaimExplanation,
  ClaimStage,
  MachinePlace,
  MachineRefusals,
  NewClaim,
  NotPlanned,
  NotTaken,
  PodExplanation,
} from './explanation.ts'

/** `now` is when the snapshot was taken. */
export function renderExplanation(explanation: PodExplanation | ClaimExplanation, now: EpochMs): readonly string[] {
  switch (explanation.kind) {
    case 'running': {
      const going = explanation.isGoing ? '; the node is going, and the pod stays with it to the end' : ''
      return [`pod ${explanation.pod} has a node: ${explanation.node}${going}`]
    }
    case 'notPlanned':
      return [`pod ${explanation.pod} gets no node made for it (${explanation.code}): ${notPlannedText(explanation.because)}`]
    case 'refused': {
      const { pod, code, message, pools, machines } = explanation
      const why = pools.length === 0 ? `: ${message}` : ''
      return [`pod ${pod} cannot be placed (${code})${why}`, ...poolLines(pools), ...machineLines(machines)]
    }
    case 'onMachine':
      return [`pod ${explanation.pod} goes to ${placeText(explanation)}`, ...gaveUpLine(explanation.gaveUp)]
    case 'onNewClaim': {
      const { pod, claim, gaveUp, pools, machines } = explanation
      const first = poolLines(pools).map((line) => `${line} (it would have come first)`)
      return [`pod ${pod} gets a new node`, ...gaveUpLine(gaveUp), ...claimLines(claim, now), ...first, ...machineLines(machines)]
    }
    case 'new':
      return [`nodeclaim ${explanation.claim.name} is about to be made`, ...claimLines(explanation.claim, now)]
    case 'there':
      return thereLines(explanation, now)
  }
}

function thereLines(explanation: Extract<ClaimExplanation, { kind: 'there' }>, now: EpochMs): readonly string[] {
  const { name, node, pool, stage, choice, running, expected, cheaper } = explanation
  const unknown = stage === 'draft' || stage === 'created' ? 'nothing that it names can be bought now' : 'its size is not for sale any more'
  return [
    `nodeclaim ${name} of nodepool ${pool ?? '?'}: ${STAGE_TEXTS[stage]}${node === undefined ? '' : `, node ${node}`}`,
    `  machine: ${choice === undefined ? unknown : choiceText(choice)}`,
    `  pods: ${running.length} there${expected.length === 0 ? '' : `, ${expected.length} on their way`}`,
    ...cheaperLines(cheaper, now),
  ]
}

const STAGE_TEXTS: { readonly [Stage in ClaimStage]: string } = {
  draft: 'decided, not in the cluster yet',
  created: 'not launched yet',
  launched: 'launched, no node yet',
  registered: 'its node is coming up',
  initialized: 'ready',
  going: 'on its way out',
}

function claimLines({ name, pool, pods, choice, nextBest, alternatives, cheaper }: NewClaim, now: EpochMs): readonly string[] {
  return [
    `  nodeclaim ${name} of nodepool ${pool}, for ${pods.length === 1 ? 'one pod' : `${pods.length} pods`}`,
    `  machine: ${choiceText(choice)}, the cheapest of ${alternatives} ${alternatives === 1 ? 'size' : 'sizes'} that would serve`,
    ...(nextBest === undefined ? [] : [`  next best: ${choiceText(nextBest)}${extraText(choice, nextBest)}`]),
    ...cheaperLines(cheaper, now),
  ]
}

function cheaperLines(cheaper: readonly Cheaper[], now: EpochMs): readonly string[] {
  const textOf = ({ choice, because }: Cheaper): string => `${choiceText(choice)}: ${notTakenText(because, now)}`
  const lines = together(cheaper, textOf).flatMap(([first, ...same]) => {
    const own = [first, ...same]
    const others = own.reduce((sum, each) => sum + each.offerings, -1)
    const many = others === 0 ? '' : ` and ${others} more`
    return `    ${choiceText(first.choice)}${many} of ${poolsText(own)}: ${notTakenText(first.because, now)}`
  })
  const left = lines.length > MOST_SAID ? [`    and others for ${lines.length - MOST_SAID} more reasons`] : []
  return lines.length === 0 ? [] : ['  cheaper, but not taken:', ...lines.slice(0, MOST_SAID), ...left]
}

/** Lines of one kind. */
const MOST_SAID = 6

/** Those that say the same, in the order they are first said. */
function together<Item>(items: readonly Item[], textOf: (item: Item) => string): readonly (readonly [Item, ...Item[]])[] {
  return [...Map.groupBy(items, textOf).values()].flatMap(([first, ...same]) => (first === undefined ? [] : [[first, ...same] as const]))
}

function poolsText(own: readonly { readonly pool: string }[]): string {
  const names = [...new Set(own.map(({ pool }) => pool))]
  return `${names.length === 1 ? 'nodepool' : 'nodepools'} ${names.join(', ')}`
}

const MINUTE_MS = 60_000

function notTakenText(because: NotTaken, now: EpochMs): string {
  if (because.kind === 'blocked') {
    return `Azure refused it lately (${because.code}) and is not asked again for ${Math.ceil((because.until - now) / MINUTE_MS)} minutes`
  }
  if (because.kind === 'weight') return `its nodepool has weight ${because.weight}, and one of weight ${because.chosen} takes the pods`
  if (because.kind === 'now') return 'it would serve now, and did not when the claim was made'
  if (because.kind !== 'plan') return verdictText(because)
  return because.placement === 'firstFit'
    ? 'first fit takes nodepools by weight and name, whatever they cost'
    : 'it would serve; of the plans looked at, this one costs least for all pods together'
}

function choiceText({ size, zone, capacityType, price }: LaunchChoice): string {
  return `${size} ${capacityType} in ${zone}, ${price === undefined ? 'price unknown' : formatPrice(price)}`
}

function extraText({ price }: LaunchChoice, { price: other }: LaunchChoice): string {
  return price === undefined || other === undefined || other <= price ? '' : ` (${percent(other / price - 1)} more)`
}

function percent(share: number): string {
  return Number.isFinite(share) ? `${Math.round(share * 100)} %` : 'all of it'
}

function placeText({ machine, claim, stage, isPromise }: MachinePlace): string {
  const what = stage === 'notLaunched' ? `nodeclaim ${machine}` : `node ${machine}`
  const whose = claim === undefined || claim === machine ? '' : ` (nodeclaim ${claim})`
  const why = isPromise ? 'an earlier decision promised it' : 'it has room, and room that is paid for costs nothing'
  return `${what}${whose}, ${PLACE_TEXTS[stage]}: ${why}`
}

const PLACE_TEXTS = { up: 'which is up', comingUp: 'which is coming up', notLaunched: 'which is not launched yet' } as const

function gaveUpLine(gaveUp: number): readonly string[] {
  return gaveUp === 0 ? [] : [`  it gave up ${gaveUp} of its preferences for that`]
}

function poolLines(pools: readonly PoolVerdict[]): readonly string[] {
  return together(pools, ({ verdict }) => verdictText(verdict)).map((own) => `  ${poolsText(own)}: ${verdictText(own[0].verdict)}`)
}

function machineLines(refusals: readonly MachineRefusals[]): readonly string[] {
  return refusals.slice(0, MOST_SAID).map(({ machines, closest, verdict }) => {
    const who = machines === 1 ? `node ${closest}` : `${machines} nodes, closest ${closest}`
    return `  ${who}: ${verdictText(verdict)}`
  })
}

function notPlannedText(because: NotPlanned): string {
  switch (because.kind) {
    case 'gated':
      return `it waits for its scheduling ${because.gates.length === 1 ? 'gate' : 'gates'} ${because.gates.join(', ')}`
    case 'preempting':
      return `it waits for room on node ${because.node}, where pods of less priority make way`
    case 'daemon':
      return 'it belongs to a DaemonSet, whose pods run on nodes that are there'
    case 'mirror':
      return 'it is a static pod of its node'
    case 'ended':
      return 'it has ended'
    case 'deleted':
      return 'it is being deleted'
    case 'untried':
      return 'the scheduler has not given it up'
  }
}
