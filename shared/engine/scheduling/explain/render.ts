/** Explanations as lines of text for a terminal. */
import type { EpochMs } from '../../../model/units.ts'
import type { PoolVerdict } from '../decision/poolVerdicts.ts'
import { remedyOf } from '../decision/remedy.ts'
import { verdictText } from '../decision/verdictText.ts'
import { claimLines, MOST_SAID, poolsText, thereLines, together } from './claimLines.ts'
import type { ClaimExplanation, Hold, MachinePlace, MachineRefusals, NotPlanned, PodExplanation } from './explanation.ts'

/** The explanation as lines of text. `now` is when the snapshot was taken. */
export function renderExplanation(explanation: PodExplanation | ClaimExplanation, now: EpochMs): readonly string[] {
  switch (explanation.kind) {
    case 'running':
      return runningLines(explanation, now)
    case 'notPlanned':
      return [`pod ${explanation.pod} gets no node made for it (${explanation.code}): ${notPlannedText(explanation.because)}`]
    case 'refused': {
      const { pod, code, message, pools, machines } = explanation
      const why = pools.length === 0 ? `: ${message}` : ''
      return [`pod ${pod} cannot be placed (${code})${why}`, ...poolLines(pools), ...machineLines(machines), ...remedyLines(pools)]
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

function runningLines(explanation: Extract<PodExplanation, { kind: 'running' }>, now: EpochMs): readonly string[] {
  const { pod, node, isDeleting, heldBy, claim, came, then } = explanation
  const deleting = isDeleting ? ', which is on its way out' : ''
  const why = claim === undefined ? 'no nodeclaim made the node; the scheduler chose it' : WHY_THERE[came ?? 'afterNode']
  const stays = isDeleting && then === undefined ? ['  it stays with the node to the end'] : []
  return [
    `pod ${pod} runs on node ${node}${deleting}: ${why}`,
    ...heldBy.map((hold) => `  it cannot be evicted now: ${holdText(hold)}`),
    ...stays,
    ...(then === undefined
      ? []
      : renderExplanation(then, now).map((line, index) => (index === 0 ? `  once it is evicted: ${line}` : `  ${line}`))),
    ...(claim === undefined ? [] : thereLines(claim, now).map((line) => `  ${line}`)),
  ]
}

const WHY_THERE = {
  beforeClaim: 'the pod was waiting when the node was decided',
  beforeNode: 'the node was on its way when the pod came, and room that is paid for costs nothing',
  afterNode: 'the node was there when the pod came, and room that is paid for costs nothing',
} as const

function holdText({ kind, name }: Hold): string {
  switch (kind) {
    case 'budget':
      return `poddisruptionbudget ${name} allows no disruption`
    case 'oneOfSeveralBudgets':
      return `poddisruptionbudget ${name} is one of several that select it, and Kubernetes evicts no such pod`
    case 'annotation':
      return `annotation ${name} forbids it`
  }
}

function placeText({ machine, claim, stage, isNominated }: MachinePlace): string {
  const what = stage === 'notLaunched' ? `nodeclaim ${machine}` : `node ${machine}`
  const whose = claim === undefined || claim === machine ? '' : ` (nodeclaim ${claim})`
  const why = isNominated ? 'an earlier decision promised it' : 'it has room, and room that is paid for costs nothing'
  return `${what}${whose}, ${PLACE_TEXTS[stage]}: ${why}`
}

const PLACE_TEXTS = { up: 'which is up', comingUp: 'which is coming up', notLaunched: 'which is not launched yet' } as const

function gaveUpLine(gaveUp: number): readonly string[] {
  return gaveUp === 0 ? [] : [`  it gave up ${gaveUp} of its preferences for that`]
}

function poolLines(pools: readonly PoolVerdict[]): readonly string[] {
  return together(pools, ({ verdict }) => verdictText(verdict)).map((own) => `  ${poolsText(own)}: ${verdictText(own[0].verdict)}`)
}

/** What to do about the verdict of the NodePool that is named first. */
function remedyLines([first]: readonly PoolVerdict[]): readonly string[] {
  const remedy = first === undefined ? undefined : remedyOf(first.verdict)
  return remedy === undefined ? [] : [`  to do: ${remedy}`]
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
