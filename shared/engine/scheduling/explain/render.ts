/** Explanations as lines of text for a terminal. */
import type { EpochMs } from '../../../model/units.ts'
import type { PoolVerdict } from '../decision/verdictOrder.ts'
import { remedyOf, verdictText } from '../decision/verdictTable.ts'
import { claimLines, deadlineLine, holdText, LET_GO, MOST_SAID, poolsText, sinceText, thereLines, together } from './claimLines.ts'
import type { ClaimExplanation, MachinePlace, MachineRefusals, NotPlanned, NotTaken, PodExplanation } from './explanation.ts'

/** The explanation as lines of text. `now` is when the snapshot was taken. */
export function renderExplanation(explanation: PodExplanation | ClaimExplanation, now: EpochMs): readonly string[] {
  switch (explanation.kind) {
    case 'running':
      return runningLines(explanation, now)
    case 'notPlanned':
      return [`pod ${explanation.pod} gets no new node (${explanation.code}): ${notPlannedText(explanation.because)}`]
    case 'refused': {
      const { pod, code, message, pools, machines } = explanation
      const why = pools.length === 0 ? `: ${message}` : ''
      return [`pod ${pod} cannot be placed (${code})${why}`, ...poolLines(pools), ...machineLines(machines), ...remedyLines(pools)]
    }
    case 'onMachine':
      return [`pod ${explanation.pod} goes to ${placeText(explanation)}`, ...gaveUpLine(explanation.gaveUp)]
    case 'onNewClaim': {
      const { pod, claim, gaveUp, pools, machines } = explanation
      const first = poolLines(pools).map((line) => `${line} (tried first, since it has more weight)`)
      return [`pod ${pod} gets a new node`, ...gaveUpLine(gaveUp), ...claimLines(claim, now), ...first, ...machineLines(machines)]
    }
    case 'new':
      return [`nodeclaim ${explanation.claim.name} will be created`, ...claimLines(explanation.claim, now)]
    case 'there':
      return thereLines(explanation, now)
  }
}

function runningLines(explanation: Extract<PodExplanation, { kind: 'running' }>, now: EpochMs): readonly string[] {
  const { pod, node, isDeleting, heldBy, removal, endsThere, claim, came, then } = explanation
  const deleting = isDeleting ? `, which is being removed${sinceText(removal, now)}` : ''
  const why = claim === undefined ? 'kube-scheduler chose the node, which has no nodeclaim' : WHY_THERE[came ?? 'afterNode']
  const when = heldBy.length > 0 ? 'when nothing holds it any more' : 'when it is evicted'
  return [
    `pod ${pod} runs on node ${node}${deleting}: ${why}`,
    ...heldBy.map((hold) => `  held on the node by ${holdText(hold)}`),
    ...(heldBy.length > 0 ? deadlineLine(removal) : []),
    ...heldBy.slice(0, 1).map((hold) => `  to do: ${LET_GO[hold.kind]}`),
    ...(endsThere === undefined || heldBy.length > 0 ? [] : [`  ${ENDS_THERE[endsThere]}`]),
    ...(then === undefined ? [] : renderExplanation(then, now).map((line, index) => (index === 0 ? `  ${when}: ${line}` : `  ${line}`))),
    ...(claim === undefined ? [] : thereLines(claim, now).map((line) => `  ${line}`)),
  ]
}

const ENDS_THERE = {
  daemon: 'the pod is evicted after the other pods of the node, and goes to no other node: it belongs to a DaemonSet',
  ending: 'the pod is ending, and goes to no other node',
  withNode: 'the pod is not evicted: it ends with the node',
} as const

const WHY_THERE = {
  beforeClaim: 'the pod was pending when the nodeclaim was created',
  beforeNode: 'the nodeclaim existed when the pod was created, and room on existing nodes costs nothing',
  afterNode: 'the node existed when the pod was created, and room on existing nodes costs nothing',
} as const

function placeText({ machine, claim, stage, isNominated }: MachinePlace): string {
  const what = stage === 'notLaunched' ? `nodeclaim ${machine}` : `node ${machine}`
  const whose = claim === undefined || claim === machine ? '' : ` (nodeclaim ${claim})`
  const why = isNominated ? 'an earlier decision nominated it for the pod' : 'it has room, and room on existing nodes costs nothing'
  return `${what}${whose}, ${PLACE_TEXTS[stage]}: ${why}`
}

const PLACE_TEXTS = { up: 'which is up', comingUp: 'which is coming up', notLaunched: 'which is not launched yet' } as const

function gaveUpLine(gaveUp: number): readonly string[] {
  return gaveUp === 0 ? [] : [`  preferences of the pod that are not met: ${gaveUp}`]
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
      return `the pod has scheduling ${because.gates.length === 1 ? 'gate' : 'gates'} ${because.gates.join(', ')}`
    case 'preempting':
      return `kube-scheduler is about to bind it to node ${because.node}: the pod waits for preempted pods to end, or for its volumes`
    case 'daemon':
      return 'the pod belongs to a DaemonSet, whose pods run on existing nodes only'
    case 'mirror':
      return 'the pod is a static pod of its node'
    case 'ended':
      return 'the pod has finished'
    case 'deleted':
      return 'the pod is being deleted'
    case 'otherScheduler':
      return `scheduler ${because.scheduler} (spec.schedulerName) places the pod, and has not refused it; to do: check that this scheduler runs, or remove spec.schedulerName`
    case 'untried':
      return 'kube-scheduler has not reported that the pod fits on no node; to do: if this stays for more than a minute, check that kube-scheduler runs'
  }
}

/** The reason without its numbers, as text. Reasons with the same text are told together. */
export function detailOf(reason: NotTaken): string {
  if ('resource' in reason) return `${reason.kind} ${reason.resource}`
  if ('driver' in reason) return `${reason.kind} ${reason.driver}`
  if ('reservation' in reason) return `${reason.kind} ${reason.reservation}`
  if ('rule' in reason) return `${reason.kind} ${reason.rule} ${reason.label}`
  if ('labels' in reason) return `${reason.kind} ${reason.whose} ${reason.labels.join()}`
  if ('taints' in reason) return `${reason.kind} ${reason.taints.join()}`
  return 'code' in reason ? `${reason.kind} ${reason.code}` : reason.kind
}
